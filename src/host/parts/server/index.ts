import type { MachineFacts } from '../../contract/facts.ts'
import { type FileSpec, systemFile } from '../spec.ts'
import { answer } from '../tls.ts'
import { folder as nameServerFolder, peerFiles } from './peers.ts'
import type { ServerState } from './state.ts'
import { serverFiles, vhosts } from './vhosts.ts'

export { checkServerState, type ServerState, type TlsPair } from './state.ts'
export { serverFiles } from './vhosts.ts'

/** For a machine that gets only its names. */
export const isOfNameServer = (path: string): boolean => path.startsWith(`${nameServerFolder}/`)

/** The files that follow from the server's own names. */
export const serverFilesOf = (state: ServerState, facts: MachineFacts = {}): readonly FileSpec[] => [
  systemFile(serverFiles.certificate, 0o644, [state.certificate.certificatePem.trimEnd()]),
  systemFile(serverFiles.key, 0o600, [state.certificate.keyPem.trimEnd()]),
  systemFile('etc/panel/nginx/server/names.conf', 0o644, vhosts(state, facts)),
  ...state.challenges.map(answer),
  ...(state.namesOnly ? [] : peerFiles(state.dns)),
]
