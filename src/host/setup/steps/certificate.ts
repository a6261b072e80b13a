import type { Do, Facts, SetupStep } from '../step.ts'

/** The certificate of the mail and FTP servers: the server's own. */
export const serverCertificate = { certificate: '/etc/panel/tls/_server.crt', key: '/etc/panel/tls/_server.key' }

/** Creates a self-signed one if none exists; returns whether it did. */
async function ensureCertificate(run: Do, { hostname }: Facts): Promise<boolean> {
  const { certificate, key } = serverCertificate
  const isThere = (path: string) =>
    run('/usr/bin/test', ['-s', path]).then(
      () => true,
      () => false,
    )
  if ((await isThere(certificate)) && (await isThere(key))) return false
  const subject = ['-subj', `/CN=${hostname.slice(0, 64)}`, '-addext', `subjectAltName=DNS:${hostname}`]
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '3650']
  await run('/usr/bin/openssl', ['req', '-x509', ...made, ...subject, '-keyout', key, '-out', certificate])
  await run('/usr/bin/chmod', ['0600', key])
  await run('/usr/bin/chmod', ['0644', certificate])
  return true
}

/** Before the services that use it. */
export const certificate: SetupStep = { name: 'certificate', packages: () => ['openssl'], prepare: ensureCertificate }
