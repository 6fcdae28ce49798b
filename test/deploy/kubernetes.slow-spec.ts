import { loadAll } from 'js-yaml';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describeWhereFound } from '../support/describe-with.js';
import { run } from '../support/program.js';
import { allFilesIn, filesIn, readText, readYaml } from '../support/repository.js';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const repository = (path: string) => join(import.meta.dirname, '../..', path);
const FOLDER = 'deploy/kubernetes';
const files = allFilesIn(FOLDER).filter((file) => file.endsWith('.yaml'));
const kustomizations = files.filter((file) => file.endsWith('kustomization.yaml'));
const whole = files.filter((file) => !/(kustomization|size|migrate)\.yaml$/.test(file));
const manifests = [...whole.map((file) => `${FOLDER}/${file}`), 'deploy/backup/client-pod.yaml'].flatMap(
  (file) => readYaml<Manifest>(file),
);
const named = (kind: string) => manifests.find((manifest) => manifest.kind === kind);
const packageOf = ({ apiVersion }: Manifest) =>
  `${apiVersion.startsWith('monitoring.') ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models'}/${apiVersion}`;

describe('deploy/kubernetes', () => {
  it.each(kustomizations)('lists in %s every manifest beside it, and nothing that is not there', (file) => {
    const [kustomization] = readYaml<{ resources: string[]; patches?: { path: string }[] }>(
      `${FOLDER}/${file}`,
    );
    const { resources = [], patches = [] } = kustomization ?? {};
    const listed = [...resources, ...patches.map(({ path }) => path)].filter(
      (path) => !path.startsWith('..'),
    );
    const beside = filesIn(`${FOLDER}/${dirname(file)}`).filter((name) => name !== 'kustomization.yaml');
    expect(listed.sort()).toEqual(beside);
  });

  it.each(manifests.map((manifest) => [manifest.kind, manifest] as const))(
    'has a %s that the schema of Kubernetes admits',
    async (kind, manifest) => {
      await validate(kind, manifest);
    },
  );

  it('has no property that Kubernetes does not know', () => {
    expect(unknownMembers(manifests)).toEqual([]);
  });

  it('finds a property that Kubernetes does not know', () => {
    const slip = { ...named('Service'), spec: { portz: [] } } as unknown as Manifest; // a slip on purpose
    expect(unknownMembers([slip])).toEqual([expect.stringContaining(`'"portz"' does not exist`)]);
  });

  it('runs everything under the restricted profile, without a token, and with secrets by reference', () => {
    const container = {
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      resources: { limits: { memory: expect.any(String) as unknown } },
    };
    for (const file of ['deployment.yaml', 'worker.yaml']) {
      const [pod] = readYaml<{ spec: { template: { spec: unknown } } }>(`${FOLDER}/base/${file}`);
      expect(pod?.spec.template.spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [container],
        volumes: [{ secret: { secretName: 'petstore' } }],
      });
    }
    expect(readYaml(`${FOLDER}/base/migrate.yaml`)).toMatchObject([
      { spec: { template: { spec: { initContainers: [container] } } } },
    ]);
    expect(named('Secret')).toBeUndefined();
    expect(files.map((file) => readText(`${FOLDER}/${file}`)).join()).not.toMatch(/postgres(ql)?:\/\//);
  });
});

/** The sizes of docs/scaling.md, for which the calculator is asked. */
const SIZES = { small: 1_000, medium: 10_000, large: 100_000 };
/** The first has a `spec`, the second `data`. */
const SIZED = ['HorizontalPodAutoscaler', 'ConfigMap'];
const CONNECTIONS = 11; // of a replica

describeWhereFound('kubectl', 'the size', () => {
  const built = (size: string) => {
    const { stdout, stderr } = spawnSync('kubectl', ['kustomize', repository(`${FOLDER}/${size}`)], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    return loadAll(stdout) as Manifest[];
  };

  it.each(Object.entries(SIZES))(
    '%s is what the calculator chooses for %d requests a second',
    async (size, rps) => {
      const load = ['--rps', String(rps), '--keys', '1e6', '--json'];
      const { stdout } = await run('tools/bench/capacity.mjs', load, { cwd: repository('.') });
      const plan = JSON.parse(stdout) as { replicas: number; replicaMegabytes: number; redisMasters: number };
      const all = built(size);
      for (const manifest of all) await validate(manifest.kind, manifest);
      const pods = all.filter(({ kind }) => kind === 'Deployment') as unknown as {
        spec: { template: { spec: { initContainers: { args: string[] }[] } } };
      }[];
      expect(pods.map(({ spec }) => spec.template.spec.initContainers.map(({ args }) => args))).toEqual([
        [['petstore', 'migrate']],
        [['petstore', 'migrate']],
      ]);
      const { spec, data } = Object.assign({}, ...all.filter(({ kind }) => SIZED.includes(kind))) as {
        spec: { minReplicas: number; maxReplicas: number };
        data: Record<string, string>;
      };
      expect(spec.minReplicas).toBe(plan.replicas);
      expect(spec.maxReplicas).toBeGreaterThanOrEqual(2 * plan.replicas);
      expect(plan.replicaMegabytes).toBeLessThan(512);
      expect(data.REDIS_CLUSTER).toBe(plan.redisMasters > 1 ? 'true' : undefined);
      const isPooled = (spec.maxReplicas + 1) * CONNECTIONS > 200;
      expect('DATABASE_DIRECT_URL_FILE' in data).toBe(isPooled);

      const secrets = Object.entries(data).flatMap(([name, value]) =>
        name.endsWith('_FILE') ? [value] : [],
      );
      const keys = [...readText('docs/operating.md').matchAll(/--from-file=([\w-]+)=/g)].map(
        ([, key]) => key,
      );
      const needed = keys.filter((key) => key !== 'database-direct-url' || isPooled);
      expect(secrets.sort()).toEqual(needed.map((key) => `/run/secrets/petstore/${key}`).sort());
    },
  );
});

/** @throws unless its schema admits it */
async function validate(kind: string, manifest: Manifest): Promise<void> {
  const models = (await import(packageOf(manifest))) as Record<
    string,
    new (data: Manifest) => { validate(): void }
  >;
  const Model = models[kind];
  if (!Model) throw new Error(`Kubernetes does not have a ${kind} of ${manifest.apiVersion}.`);
  expect(() => {
    new Model(manifest).validate();
  }).not.toThrow();
}

/** The schemas admit unknown properties; the types made from the same schemas, for an object literal, do not. */
function unknownMembers(all: readonly Manifest[]): string[] {
  const name = 'manifests.ts';
  const text = all
    .map(
      (manifest, i) =>
        `import type { I${manifest.kind} as I${i} } from '${packageOf(manifest)}';\n` +
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
