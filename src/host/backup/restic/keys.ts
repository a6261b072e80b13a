import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repository, SftpRepository } from '../../repository.ts'

export interface Keys {
  /** What restic is told so that it gets in. */
  readonly words: readonly string[]
  remove(): Promise<void>
}

/** ssh takes a key from a file alone, which is there as long as restic runs. */
export async function keysOf(repository: Repository, folder: string): Promise<Keys> {
  if (repository.type !== 'sftp') return { words: [], remove: async () => {} }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const own = await mkdtemp(join(folder, 'key-'))
  await writeFile(join(own, 'key'), `${repository.privateKey.trimEnd()}\n`, { mode: 0o600 })
  await writeFile(join(own, 'known'), `panel ${repository.hostKey}\n`, { mode: 0o600 })
  const remove = () => rm(own, { recursive: true, force: true })
  return { words: ['-o', quoted(`sftp.command=${sshTo(repository, own)}`)], remove }
}

/** A host key that is not the known one ends it; nothing is asked, and no file of a user is read. */
function sshTo({ host, port, user }: SftpRepository, folder: string): string {
  const options = [
    'BatchMode=yes',
    'IdentitiesOnly=yes',
    'StrictHostKeyChecking=yes',
    'HostKeyAlias=panel',
    'GlobalKnownHostsFile=/dev/null',
    'ConnectTimeout=30',
    'ServerAliveInterval=30',
  ].map((option) => `-o ${option}`)
  const files = `-i '${folder}/key' -o 'UserKnownHostsFile="${folder}/known"'`
  return `ssh -F none ${options.join(' ')} ${files} -p ${port} -l ${user} ${host} -s sftp`
}

/** restic takes a value of `-o` for a line of CSV. */
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
