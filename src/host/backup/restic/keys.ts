import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Repository, SftpRepository } from '../../contract/repository.ts'

export interface ResticKeys {
  /** restic's arguments for access. */
  readonly words: readonly string[]
  remove(): Promise<void>
}

/** ssh takes a key only from a file, which exists while restic runs. */
export async function keysOf(repository: Repository, folder: string): Promise<ResticKeys> {
  if (repository.type !== 'sftp') return { words: [], remove: async () => {} }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const own = await mkdtemp(join(folder, 'key-'))
  await writeFile(join(own, 'key'), `${repository.privateKey.trimEnd()}\n`, { mode: 0o600 })
  await writeFile(join(own, 'known'), `panel ${repository.hostKey}\n`, { mode: 0o600 })
  const remove = () => rm(own, { recursive: true, force: true })
  return { words: ['-o', quoted(`sftp.command=${sshTo(repository, own)}`)], remove }
}

/** An unknown host key is an error; ssh never prompts, and reads no user's files. */
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

/** restic parses a value of `-o` as a line of CSV. */
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
