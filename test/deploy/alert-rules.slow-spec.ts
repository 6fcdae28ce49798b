import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeWith } from '../support/describe-with.js';
import { emptyFolder } from '../support/program.js';
import { readText } from '../support/repository.js';

/** The name that a job gets by a ServiceMonitor. In Compose it is `petstore`; no rule may name it. */
const JOB = 'serviceMonitor/shop/petstore/0';

describeWith('promtool', 'the alert rules', () => {
  it('fire as their tests say, whatever the job is named', async () => {
    const folder = await emptyFolder();
    const file = join(folder.path, 'alerts.test.yml');
    const tests = readText('deploy/prometheus/alerts.test.yml');
    const rules = fileURLToPath(new URL('../../deploy/prometheus', import.meta.url));
    writeFileSync(
      file,
      tests
        .replaceAll('JOB', JOB)
        .replace(/^rule_files: .*/m, `rule_files: ['${rules}/alerts.yml', '${rules}/stack-alerts.yml']`),
    );
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
    await folder.remove();
    expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' });
  });
});
