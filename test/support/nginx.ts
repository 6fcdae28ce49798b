import { readText } from './repository.js';

const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** The configuration of nginx in docs/systemd.md, without TLS, in the foreground. @param folder for what it writes */
export function nginxOf(port: number, folder: string): string {
  const [, sample = ''] = /```nginx\n(.+?)```/s.exec(readText('docs/systemd.md')) ?? [];
  const site = sample.replace('listen 443 ssl', `listen 127.0.0.1:${port}`).replaceAll(/^ +ssl_.*$/gm, '');
  const temporary = TEMPORARY.map((name) => `${name}_temp_path "${folder}/${name}";`).join(' ');
  return `daemon off; pid "${folder}/pid"; error_log "${folder}/log"; events {} http { access_log off; ${temporary} ${site}}`;
}
