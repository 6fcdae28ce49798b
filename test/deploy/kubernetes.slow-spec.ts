import { loadAll } from 'js-yaml';
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { describeWhereFound } from '../support/describe-with.js';
import { emptyFolder } from '../support/program.js';
import { allFilesIn, filesIn, readText, readYaml } from '../support/repository.js';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface Kustomization {
  readonly resources?: string[];
  readonly patches?: { readonly path: string }[];
  readonly configMapGenerator?: { readonly envs?: string[] }[];
}

const repository = (path: string) => join(import.meta.dirname, '../..', path);
const FOLDER = 'deploy/kubernetes';
const files = allFilesIn(FOLDER).filter((file) => file.endsWith('.yaml'));
const kustomizations = files.filter((file) => file.endsWith('kustomization.yaml'));
const whole = files.filter((file) => !file.endsWith('kustomization.yaml'));
const OF_BACKUPS = ['deploy/backup/client-pod.yaml', 'deploy/backup/cron-job.yaml'];
const manifests = [...whole.map((file) => `${FOLDER}/${file}`), ...OF_BACKUPS].flatMap((file) =>
  readYaml<Manifest>(file),
);
const named = (kind: string) => manifests.find((manifest) => manifest.kind === kind);
const packageOf = ({ apiVersion }: Manifest) =>
  `${apiVersion.startsWith('monitoring.') ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models'}/${apiVersion}`;

describe('deploy/kubernetes', () => {
  it.each(kustomizations)('%s lists exactly the manifests in its folder', (file) => {
    const [kustomization] = readYaml<Kustomization>(`${FOLDER}/${file}`);
    const { resources = [], patches = [], configMapGenerator = [] } = kustomization ?? {};
    const settings = configMapGenerator.flatMap(({ envs = [] }) => envs);
    const listed = [...resources, ...patches.map(({ path }) => path), ...settings].filter(
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

  it('lets a node be drained while no pod is ready, and spreads the pods of each version by themselves', () => {
    expect(named('PodDisruptionBudget')).toMatchObject({
      spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    });
    const constraints = JSON.stringify(named('Deployment')).match(/"topologyKey":[^]*?"matchLabels"/g) ?? [];
    expect(constraints).toHaveLength(2);
    for (const constraint of constraints)
      expect(constraint).toContain('"matchLabelKeys":["pod-template-hash"]');
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
    expect(named('Secret')).toBeUndefined();
    expect(files.map((file) => readText(`${FOLDER}/${file}`)).join()).not.toMatch(/postgres(ql)?:\/\//);
  });
});

describeWhereFound('kubectl', 'kubectl kustomize', () => {
  let all: Manifest[];

  beforeAll(async () => {
    const folder = await emptyFolder();
    const at = (path: string) => relative(realpathSync(folder.path), repository(path));
    const components = [`${FOLDER}/ingress`, `${FOLDER}/prometheus-operator`, 'deploy/backup'].map(at);
    const kustomization = JSON.stringify({ resources: [at(`${FOLDER}/base`)], components });
    await writeFile(join(folder.path, 'kustomization.yaml'), kustomization);
    const { stdout, stderr } = spawnSync('kubectl', ['kustomize', folder.path], { encoding: 'utf8' });
    await folder.remove();
    expect(stderr).toBe('');
    all = loadAll(stdout) as Manifest[];
  });

  it('puts everything into the namespace of the service, the components too', () => {
    const kinds = ['Ingress', 'PodMonitor', 'CronJob', 'PersistentVolumeClaim'];
    expect(all.map(({ kind }) => kind)).toEqual(expect.arrayContaining(kinds));
    for (const { kind, metadata } of all)
      if (kind !== 'Namespace') expect({ kind, ...metadata }).toMatchObject({ namespace: 'petstore' });
  });

  it('replaces the pods when a setting changes: the name of its ConfigMap depends on the content', () => {
    const names = all.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata }) => metadata.name);
    const settings = names.filter((name) => /^petstore-[a-z0-9]{10}$/.test(name));
    const references = JSON.stringify(all).match(/(?<="configMapRef":\{"name":")[^"]+/g) ?? [];
    expect([...new Set(references)]).toEqual(settings);
  });

  it('has only manifests that match the schemas of Kubernetes', async () => {
    for (const manifest of all) await validate(manifest.kind, manifest);
  });

  it('reads the secrets that docs/operating.md creates', () => {
    const secrets = [...readText(`${FOLDER}/base/settings.env`).matchAll(/_FILE=(.+)/g)].map(
      ([, path]) => path,
    );
    const keys = [...readText('docs/operating.md').matchAll(/--from-file=([\w-]+)=/g)].map(([, key]) => key);
    const needed = keys.filter((key) => key !== 'database-direct-url'); // only with PgBouncer
    expect(secrets.sort()).toEqual(needed.map((key) => `/run/secrets/petstore/${key}`).sort());
  });
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
