import ts from 'typescript';
import { filesIn, readText, readYaml } from '../support/repository.js';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const FOLDER = 'deploy/kubernetes';
const [kustomization] = readYaml<{ resources: string[] }>(`${FOLDER}/kustomization.yaml`);
const files = filesIn(FOLDER).filter((file) => file !== 'kustomization.yaml');
const manifests = files.flatMap((file) => readYaml<Manifest>(`${FOLDER}/${file}`));
const named = (kind: string) => manifests.find((manifest) => manifest.kind === kind);

describe('deploy/kubernetes', () => {
  it('lists every manifest in the kustomization, and nothing that is not there', () => {
    expect([...(kustomization?.resources ?? [])].sort()).toEqual(files);
  });

  it.each(manifests.map((manifest) => [manifest.kind, manifest] as const))(
    'has a %s that the schema of Kubernetes admits',
    async (kind, manifest) => {
      const models = (await import(`kubernetes-models/${manifest.apiVersion}`)) as Record<
        string,
        new (data: Manifest) => { validate(): void }
      >;
      const Model = models[kind];
      if (!Model) throw new Error(`Kubernetes knows no ${kind} of ${manifest.apiVersion}.`);
      expect(() => {
        new Model(manifest).validate();
      }).not.toThrow();
    },
  );

  it('has no property that Kubernetes does not know', () => {
    expect(unknownMembers(manifests)).toEqual([]);
  });

  it('finds a property that Kubernetes does not know', () => {
    const slip = { ...named('Service'), spec: { portz: [] } } as unknown as Manifest; // a slip on purpose
    expect(unknownMembers([slip])).toEqual([expect.stringContaining(`'"portz"' does not exist`)]);
  });

  it('finds each file that its configuration names in the secret that the documentation creates', () => {
    const { data } = named('ConfigMap') as unknown as { data: Record<string, string> };
    const files = Object.entries(data).flatMap(([name, value]) => (name.endsWith('_FILE') ? [value] : []));
    const keys = [...readText('docs/operating.md').matchAll(/--from-file=([\w-]+)=/g)].map(([, key]) => key);
    expect(files.sort()).toEqual(keys.map((key) => `/run/secrets/petstore/${key}`).sort());
  });

  it('runs everything under the restricted profile, without a token, and with secrets by reference', () => {
    for (const file of ['deployment.yaml', 'worker.yaml', 'migration-job.yaml']) {
      const [pod] = readYaml<{ spec: { template: { spec: unknown } } }>(`${FOLDER}/${file}`);
      expect(pod?.spec.template.spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
            resources: { limits: { memory: expect.any(String) as unknown } },
          },
        ],
        volumes: [{ secret: { secretName: 'petstore' } }],
      });
    }
    expect(named('Secret')).toBeUndefined();
    expect(files.map((file) => readText(`${FOLDER}/${file}`)).join()).not.toMatch(/postgres(ql)?:\/\//);
  });
});

/** The schemas admit unknown properties; the types made from the same schemas, for an object literal, do not. */
function unknownMembers(all: readonly Manifest[]): string[] {
  const name = 'manifests.ts';
  const text = all
    .map(
      (manifest, i) =>
        `import type { I${manifest.kind} as I${i} } from 'kubernetes-models/${manifest.apiVersion}';\n` +
        `export const m${i}: I${i} = ${JSON.stringify(manifest)};\n`,
    )
    .join('');
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  };
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (file) => file === name || disk.fileExists(file),
    getSourceFile: (file, version) =>
      file === name ? ts.createSourceFile(file, text, version) : disk.getSourceFile(file, version),
  };
  const program = ts.createProgram([name], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}
