import { type Primary, secondaryLines } from '../../../shared/zone/secondary.ts'
import { complete, fields, ipAddress, listOf } from '../../contract/fields.ts'
import { type FileSpec, systemFile } from '../spec.ts'
import { folder, noTransfer, peerName, peerSecret } from './peers.ts'

export type { Primary }

export const checkPrimary = fields<Primary>(
  { address: ipAddress, name: peerName, secret: peerSecret, catalogs: listOf(complete(1, 1_000), 1_000) },
  'the primary name server',
)

const besideOptions = `${folder}/zones.d/_primary`
const insideOptions = `${folder}/transfer.conf`

/** All files that this may have written. */
export const primaryPaths = [besideOptions, insideOptions]

/** Makes this machine's name server a secondary; without a primary it transfers no zones in either direction. */
export function primaryFiles(primary: Primary | undefined): readonly FileSpec[] {
  if (!primary) return [systemFile(insideOptions, 0o644, noTransfer, 'bind')]
  const { beside, inside } = secondaryLines(primary)
  return [
    systemFile(insideOptions, 0o640, [...noTransfer, ...inside], 'bind'),
    systemFile(besideOptions, 0o640, beside, 'bind'),
  ]
}
