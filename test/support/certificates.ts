import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const EC_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];

/** A test certificate authority, with a certificate that it signed for a server at 127.0.0.1. */
export class Certificates {
  readonly folder = mkdtempSync(join(tmpdir(), 'petstore-certificates-'));
  readonly authority = join(this.folder, 'authority.pem');
  readonly certificate = join(this.folder, 'server.pem');
  readonly key = join(this.folder, 'server-key.pem');
  /** Another authority, which has signed nothing. */
  readonly foreign = join(this.folder, 'foreign.pem');

  constructor() {
    const authorityKey = join(this.folder, 'authority-key.pem');
    const request = join(this.folder, 'request.pem');
    const names = join(this.folder, 'names');
    writeFileSync(names, 'subjectAltName=IP:127.0.0.1');
    for (const [file, keyFile] of [
      [this.authority, authorityKey],
      [this.foreign, join(this.folder, 'foreign-key.pem')],
    ] as const) {
      const names = ['-subj', `/CN=${basename(file)}`, '-keyout', keyFile, '-out', file];
      openssl('req', '-x509', ...EC_KEY, ...names);
    }
    openssl('req', ...EC_KEY, ...['-subj', '/CN=127.0.0.1'], ...['-keyout', this.key, '-out', request]);
    openssl(
      ...['x509', '-req', '-days', '2', '-in', request, '-extfile', names, '-CAcreateserial'],
      ...['-CA', this.authority, '-CAkey', authorityKey, '-out', this.certificate],
    );
    chmodSync(this.key, 0o600);
  }

  /** Settings of a Redis that uses TLS for clients, replicas and the cluster bus. */
  get redisSettings(): readonly string[] {
    const { key, certificate, authority } = this;
    return [
      ...['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', authority],
      ...['--tls-auth-clients', 'no', '--tls-replication', 'yes'],
    ];
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: 'ignore' });
}
