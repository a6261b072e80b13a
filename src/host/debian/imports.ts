import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, type FileHandle, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  type ArchiveRequest,
  type ImportSource,
  MAX_SOURCE_BYTES,
  type Unpacked,
  type Unpacking,
} from '../contract/commands/imports.ts'
import type { ArchiveImports } from '../contract/driver.ts'
import { FileError, fileErrors, HostError } from '../contract/error.ts'
import { opened } from '../imports/local.ts'
import { checkArchive } from '../imports/open.ts'
import { type ArchiveAnswer, REQUEST_FILE } from '../imports/process.ts'
import { dropImport, placeImport, stageImport } from '../imports/unpack.ts'
import { ProgramError } from '../programs/error.ts'
import type { Run } from './commands.ts'
import { importsSlice } from './sandbox.ts'

const MAX_ERROR_LENGTH = 4_096
/** An archive of the largest size at 20 MB a second. */
const READ_TIMEOUT_S = 8 * 3_600

/** What reads an archive has neither network nor files. */
const properties = [
  `Slice=${importsSlice}`,
  'PrivateNetwork=yes',
  'PrivateDevices=yes',
  'ProtectSystem=strict',
  'ProtectProc=invisible',
  'ProtectKernelTunables=yes',
  'ProtectKernelModules=yes',
  'ProtectControlGroups=yes',
  // systemd takes "none" only in files; Node.js reaches a program that it starts by such a socket.
  'RestrictAddressFamilies=AF_UNIX',
  'RestrictNamespaces=yes',
  'RestrictSUIDSGID=yes',
  'NoNewPrivileges=yes',
  'SystemCallFilter=@system-service',
  // Node.js tries some that are not among them, and goes on without.
  'SystemCallErrorNumber=EPERM',
  // No socket of the machine's services.
  'TemporaryFileSystem=/run',
  'InaccessiblePaths=-/etc/panel -/var/lib/panel',
  'MemoryMax=512M',
  'TasksMax=64',
  'CPUWeight=50',
  'LimitCORE=0',
  `RuntimeMaxSec=${READ_TIMEOUT_S}`,
]

const wordsOf = (unit: string, own: readonly string[], words: readonly string[]): string[] => [
  ...['--quiet', '--pipe', '--wait', '--collect', `--unit=${unit}`],
  ...[...own, ...properties].flatMap((property) => ['-p', property]),
  ...['--', ...words],
]

const agent = (...words: readonly string[]): string[] => [process.execPath, process.argv[1]!, 'host', 'agent', ...words]

/** Exported for tests: the words that start a process which reads an archive, with a user of its own while it runs. */
export const readerWords = (unit: string, { maxEntries, maxBytes }: ArchiveRequest): string[] =>
  wordsOf(
    unit,
    ['DynamicUser=yes', 'PrivateUsers=yes', 'ProtectHome=yes', 'CapabilityBoundingSet='],
    agent('--read-archive', String(maxEntries), String(maxBytes)),
  )

/**
 * Exported for tests: the same for one that unpacks, with the account's user id, and one directory to write to. systemd
 * starts nothing as a user that does not exist yet, so the unit begins as root and can do nothing but become that user.
 */
export const unpackerWords = (unit: string, uid: number, folder: string): string[] =>
  wordsOf(
    unit,
    ['CapabilityBoundingSet=CAP_SETUID CAP_SETGID', 'UMask=0077', 'ProtectHome=tmpfs', `BindPaths=${folder}`],
    [
      ...[
        '/usr/bin/setpriv',
        '--reuid',
        String(uid),
        '--regid',
        String(uid),
        '--clear-groups',
        '--inh-caps=-all',
        '--',
      ],
      ...agent('--unpack-archive', folder),
    ],
  )

/** Reads and unpacks archives in processes of their own: root opens the file, and never looks into it. */
export const confinedImports = (run: Run, root = '/'): ArchiveImports => ({
  checkArchive: ({ path, dirs }) => checkArchive(path, dirs),
  readArchive: (request, { signal } = {}) =>
    opened(request, async (file) => {
      const answer = await answerOf(run, (unit) => readerWords(unit, request), file, signal)
      return resultIn<ImportSource>(answer, 'source')
    }),
  unpackArchive: (request, { signal } = {}) =>
    opened(request, (file) =>
      stageImport(join(root, 'home'), { id: request.id, owner: request.uid }, (place) =>
        unpackApart(run, file, place, request, signal),
      ),
    ),
  placeImport: ({ id, account }) => placeImport(join(root, 'home'), id, account.username),
  async dropImport({ id, account }) {
    await dropImport(root, id, account)
    return {}
  },
})

/** The request lies beside the directory to unpack to: it is too long for an argument. */
async function unpackApart(
  run: Run,
  file: FileHandle,
  place: string,
  request: Unpacking,
  signal: AbortSignal | undefined,
): Promise<Unpacked> {
  const folder = dirname(place)
  const path = join(folder, REQUEST_FILE)
  await writeFile(path, JSON.stringify(request), { flag: 'wx' })
  // Whatever this process's umask: the account's user reads it.
  await chmod(path, 0o644)
  const answer = await answerOf(run, (unit) => unpackerWords(unit, request.uid, folder), file, signal)
  return resultIn<Unpacked>(answer, 'unpacked')
}

async function answerOf(
  run: Run,
  words: (unit: string) => string[],
  file: FileHandle,
  signal: AbortSignal | undefined,
): Promise<string> {
  const unit = `panel-import-${randomBytes(6).toString('hex')}.service`
  const end = () => void run('/usr/bin/systemctl', ['kill', '--signal=SIGKILL', unit], { fine: [1, 5] }).catch(() => {})
  signal?.addEventListener('abort', end, { once: true })
  try {
    return await outputOf(words(unit), file, end)
  } finally {
    signal?.removeEventListener('abort', end)
    signal?.throwIfAborted()
  }
}

function outputOf(words: readonly string[], file: FileHandle, end: () => void): Promise<string> {
  const child = spawn('/usr/bin/systemd-run', words, {
    cwd: '/',
    stdio: [file.fd, 'pipe', 'pipe'],
  })
  const pieces: Buffer[] = []
  let [size, errors] = [0, '']
  child.stdout!.on('data', (piece: Buffer) => {
    size += piece.length
    if (size > MAX_SOURCE_BYTES) end()
    else pieces.push(piece)
  })
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-MAX_ERROR_LENGTH)
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0 && size <= MAX_SOURCE_BYTES) return resolve(Buffer.concat(pieces).toString('utf8'))
      const end = size > MAX_SOURCE_BYTES ? 'it found more than an account can have' : `it ended with code ${code}`
      const tried = 'The process that reads the archive ended'
      reject(new ProgramError('stage', { program: process.execPath, tried, output: errors, end }))
    })
  })
}

function resultIn<T>(text: string, name: string): T {
  const answer = JSON.parse(text) as ArchiveAnswer
  if (name in answer) return answer[name] as T
  const code = fileErrors.find((one) => one === answer['code'])
  const message = String(answer['message'])
  throw code ? new FileError(code, message, 'path') : new HostError('stage', message)
}
