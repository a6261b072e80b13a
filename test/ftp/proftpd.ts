import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { ftpFolder, scoreboard } from '../../src/host/debian/ftp/places.ts'
import type { TestPanel } from '../harness.ts'

const tools = ['/usr/sbin/proftpd', '/usr/bin/curl', '/usr/bin/ssh-keygen']
const sftpModule = '/usr/lib/proftpd/mod_sftp.so'

/** It switches to the uids of its logins, which only root can. */
export const hasProFtpd = process.getuid?.() === 0 && [...tools, sftpModule].every((tool) => existsSync(tool))

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

interface Ports {
  readonly ftp: number
  readonly sftp: number
}

const conf = (dir: string, passwd: string, { ftp, sftp }: Ports): string => `
Include /etc/proftpd/modules.conf
LoadModule mod_sftp.c
ServerType standalone
ServerName test
DefaultAddress 127.0.0.1
SocketBindTight on
Port ${ftp}
UseReverseDNS off
UseIPv6 off
PidFile ${dir}/pid
ScoreboardFile ${dir}${scoreboard}
DelayTable none
SystemLog ${dir}/log
User proftpd
Group nogroup
WtmpLog off
<Global>
  AuthOrder mod_auth_file.c
  AuthUserFile ${passwd}
  DefaultRoot ~
  RequireValidShell off
  AllowChrootSymlinks off
  AllowOverwrite on
  TimeoutLinger 0
</Global>
<VirtualHost 127.0.0.1>
  Port ${sftp}
  SFTPEngine on
  SFTPHostKey ${dir}/key
  SFTPLog ${dir}/sftplog
</VirtualHost>
`

/** A ProFTPD on loopback, with an account's rendered logins, below the root of the test. */
export class ProFtpd {
  /** The root of its machine, for finding sessions. */
  readonly dir = mkdtempSync(join(tmpdir(), 'panel-proftpd-'))
  readonly #passwd = join(this.dir, 'passwd')
  readonly #panel: TestPanel
  #child: ChildProcess | undefined
  #ports: Ports = { ftp: 0, sftp: 0 }

  constructor(panel: TestPanel) {
    this.#panel = panel
  }

  async start(): Promise<this> {
    this.#ports = { ftp: await freePort(), sftp: await freePort() }
    chmodSync(this.dir, 0o755)
    mkdirSync(join(this.dir, ftpFolder), { recursive: true, mode: 0o755 })
    chmodSync(this.#panel.dir, 0o755)
    spawnSync('/usr/bin/ssh-keygen', [
      '-q',
      '-t',
      'rsa',
      '-b',
      '2048',
      '-m',
      'PEM',
      '-N',
      '',
      '-f',
      join(this.dir, 'key'),
    ])
    this.follow()
    writeFileSync(join(this.dir, 'conf'), conf(this.dir, this.#passwd, this.#ports))
    this.#child = spawn('/usr/sbin/proftpd', ['-n', '-q', '-c', join(this.dir, 'conf')], { stdio: 'ignore' })
    for (let tries = 0; tries < 100; tries++) {
      if ((await isOpen(this.#ports.ftp)) && (await isOpen(this.#ports.sftp))) return this
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`ProFTPD did not start: ${readFileSync(join(this.dir, 'log'), 'utf8')}`)
  }

  /** Applies what the panel has rendered; the files in the home become the account's. */
  follow(): void {
    const root = join(this.#panel.dir, 'host')
    const rendered = join(root, 'etc/panel/ftp/passwd.d/alice')
    const text = existsSync(rendered) ? readFileSync(rendered, 'utf8') : ''
    writeFileSync(this.#passwd, text.replaceAll('::/home/', `::${root}/home/`), { mode: 0o600 })
    const home = join(root, 'home/alice')
    chownSync(home, 20_000, 20_000)
    for (const name of readdirSync(home, { recursive: true, encoding: 'utf8' }))
      lchownSync(join(home, name), 20_000, 20_000)
  }

  ftp(login: string, password: string, path: string, ...options: string[]) {
    return this.#curl(`ftp://127.0.0.1:${this.#ports.ftp}${path}`, login, password, options)
  }

  sftp(login: string, password: string, path: string, ...options: string[]) {
    return this.#curl(`sftp://127.0.0.1:${this.#ports.sftp}${path}`, login, password, ['--insecure', ...options])
  }

  /** A session that lasts until its socket is closed. */
  async open(login: string, password: string): Promise<Socket> {
    const socket = connect(this.#ports.ftp, '127.0.0.1').setEncoding('utf8')
    onTestFinished(() => void socket.destroy())
    let output = ''
    socket.on('data', (text) => {
      output += text
    })
    for (const [line, answer] of [`USER ${login}`, `PASS ${password}`].map((line, at) => [line, ['331', '230'][at]!])) {
      socket.write(`${line}\r\n`)
      await expect.poll(() => output).toMatch(new RegExp(`^${answer} `, 'm'))
    }
    return socket
  }

  /** A slow SFTP transfer, which the caller kills. */
  slow(login: string, password: string, path: string): ChildProcess {
    const words = ['-s', '--insecure', '--limit-rate', '10k', '-u', `${login}:${password}`, '-o', '/dev/null']
    const child = spawn('/usr/bin/curl', [...words, `sftp://127.0.0.1:${this.#ports.sftp}${path}`], { stdio: 'ignore' })
    onTestFinished(() => void child.kill())
    return child
  }

  #curl(url: string, login: string, password: string, options: readonly string[]) {
    const common = ['-sS', '--path-as-is', '--max-time', '20', '-u', `${login}:${password}`]
    return spawnSync('/usr/bin/curl', [...common, ...options, url], { encoding: 'utf8' })
  }

  async stop(): Promise<void> {
    const child = this.#child
    const ended = child && new Promise((resolve) => child.once('exit', resolve))
    if (child?.exitCode === null && child.kill('SIGTERM')) await ended
    rmSync(this.dir, { recursive: true, force: true })
  }
}
