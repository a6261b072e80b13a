import { Readable } from 'node:stream'
import type { FilesFromAfar } from '../../host/contract/client.ts'

type Target = Parameters<FilesFromAfar['write']>[0]

/** Writes a file whole; after a failure what was there before stays. */
export async function putFile(
  files: FilesFromAfar,
  target: Target,
  bytes: Buffer,
  signal?: AbortSignal,
): Promise<void> {
  const limits = signal && { signal }
  const outbox = await files.write(target, limits)
  try {
    await outbox.send(Readable.from([bytes]))
    await outbox.commit(limits)
  } catch (error) {
    await outbox.discard().catch(() => {})
    throw error
  }
}
