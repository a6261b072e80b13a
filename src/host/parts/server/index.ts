import type { MachineFacts } from '../../contract/facts.ts'
import { type FileSpec, systemFile } from '../spec.ts'
import { answer } from '../tls.ts'
import { previewCertificate } from '../web/preview.ts'
import { serverMail } from './mail.ts'
import { folder as nameServerFolder, peerFiles } from './peers.ts'
import type { ServerState } from './state.ts'
import { brotli, endedPreviews, quicSocket, serverFiles, vhosts } from './vhosts.ts'

export { checkServerState, type ServerState, type TlsPair } from './state.ts'
export { serverFiles } from './vhosts.ts'

/** For a machine that gets only its names. */
export const isOfNameServer = (path: string): boolean => path.startsWith(`${nameServerFolder}/`)

function previewFiles({ preview }: ServerState, facts: MachineFacts): readonly FileSpec[] {
  if (!preview) return []
  const { certificatePem, keyPem } = preview.certificate
  return [
    systemFile(previewCertificate.certificate, 0o644, [certificatePem.trimEnd()]),
    systemFile(previewCertificate.key, 0o600, [keyPem.trimEnd()]),
    systemFile('etc/panel/nginx/server/preview.conf', 0o644, endedPreviews(preview.hostname, facts)),
  ]
}

/** The files that follow from the server's own names. */
export const serverFilesOf = (state: ServerState, facts: MachineFacts = {}): readonly FileSpec[] => [
  systemFile(serverFiles.certificate, 0o644, [state.certificate.certificatePem.trimEnd()]),
  systemFile(serverFiles.key, 0o600, [state.certificate.keyPem.trimEnd()]),
  systemFile('etc/panel/nginx/server/names.conf', 0o644, vhosts(state, facts)),
  ...(facts.http3 ? [systemFile('etc/panel/nginx/server/quic.conf', 0o644, quicSocket)] : []),
  ...(facts.brotli ? [systemFile('etc/panel/nginx/server/brotli.conf', 0o644, brotli)] : []),
  ...previewFiles(state, facts),
  ...state.challenges.map(answer),
  ...serverMail(state),
  ...(state.namesOnly ? [] : peerFiles(state.dns)),
]
