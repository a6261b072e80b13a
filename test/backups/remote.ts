import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { accessSync, chmodSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as listen } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import type { Json, TestPanel } from '../harness.ts'

const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin']
const programAt = (name: string): string | undefined =>
  folders.map((folder) => join(folder, name)).find((path) => isExecutable(path))

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const sshd = programAt('sshd')
export const hasRestic = programAt('restic') !== undefined
export const hasSftp = hasRestic && sshd !== undefined

/** Replaces restic with a program that records its arguments, and fails if a file says so. */
export function watchRestic(dir: string) {
  const folder = join(dir, 'bin')
  mkdirSync(folder)
  const log = join(folder, 'log')
  const unread = join(folder, 'unread')
  const script = `#!/bin/sh
echo "$*" >> ${log}
${programAt('restic')} "$@" || exit
case "$*" in *backup*) [ -e ${unread} ] || exit 0
  echo '{"message_type":"error","error":{},"during":"archival","item":"'$(pwd)/$(cat ${unread})'"}' >&2; exit 3;; esac
`
  writeFileSync(join(folder, 'restic'), script)
  chmodSync(join(folder, 'restic'), 0o755)
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  return { log: () => readFileSync(log, 'utf8'), failOn: (name: string) => writeFileSync(unread, name) }
}

async function freePort(): Promise<number> {
  const server = listen()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A key, and its public form. */
function keyIn(dir: string, name: string): { private_key: string; public: string } {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', join(dir, name)])
  const known = readFileSync(join(dir, `${name}.pub`), 'utf8').trim()
  return { private_key: readFileSync(join(dir, name), 'utf8'), public: known }
}

/** A real sshd on loopback for SFTP only, and the settings of a destination for it. */
export async function startSftp(above: string): Promise<Json> {
  const port = await freePort()
  const dir = join(above, 'sshd')
  mkdirSync(dir)
  const [host, user] = [keyIn(dir, 'host'), keyIn(dir, 'user')]
  writeFileSync(join(dir, 'authorized'), `${user.public}\n`, { mode: 0o600 })
  const config = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${join(dir, 'host')}`,
    `AuthorizedKeysFile ${join(dir, 'authorized')}`,
    'PasswordAuthentication no',
    'PermitRootLogin yes',
    'StrictModes no',
    'UsePAM no',
    'PidFile none',
    'Subsystem sftp internal-sftp',
  ]
  writeFileSync(join(dir, 'config'), `${config.join('\n')}\n`)
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true })
  const child = spawn(sshd!, ['-D', '-e', '-f', join(dir, 'config')], { stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(() => void child.kill())
  await listening(child)
  const { username } = userInfo()
  return { type: 'sftp', host: '127.0.0.1', port, user: username, host_key: host.public, private_key: user.private_key }
}

const listening = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    child.stderr!.on('data', (text) => {
      if (String(text).includes('Server listening')) resolve()
    })
    child.once('exit', (code) => reject(new Error(`sshd ended with ${code}`)))
  })

/** A created destination, with the password that was shown. */
export async function destination(panel: TestPanel, body: object): Promise<Json> {
  const reply = await panel.post('/backup-destinations', body)
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body
}
