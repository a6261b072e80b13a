import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const loopback = '127.0.0.1'
const run = promisify(execFile)

export const missingTools = (): string[] => ['/usr/sbin/named', '/usr/bin/dig'].filter((file) => !existsSync(file))

/** A BIND on a port of loopback. */
export class Named {
  readonly dir: string
  readonly #port: number
  readonly #conf: () => string
  #child: ChildProcess | undefined
  #following: NodeJS.Timeout | undefined

  /** Its configuration is made anew at each start and reload. */
  constructor(dir: string, port: number, conf: (options: string) => string) {
    this.dir = dir
    this.#port = port
    mkdirSync(dir, { recursive: true })
    const options = `directory "${dir}"; pid-file "${dir}/pid"; session-keyfile "${dir}/session"; port ${port};
      listen-on { ${loopback}; }; listen-on-v6 { none; }; recursion no; dnssec-validation no;`
    this.#conf = () => conf(options)
  }

  start(): void {
    this.#write()
    this.#child = spawn('/usr/sbin/named', ['-f', '-c', join(this.dir, 'named.conf')], { stdio: 'ignore' })
  }

  reload(): void {
    this.#write()
    this.#child?.kill('SIGHUP')
  }

  /** Reads again whatever an agent writes, as soon as it has. */
  follow(root: string): void {
    let known = writtenBelow(root)
    this.#following = setInterval(() => {
      const now = writtenBelow(root)
      if (now !== known) this.reload()
      known = now
    }, 20)
  }

  end(): void {
    clearInterval(this.#following)
    this.#child?.kill('SIGKILL')
  }

  /** What it answers; nothing where it does not. */
  async dig(name: string, type: string): Promise<string> {
    const words = [`@${loopback}`, '-p', String(this.#port), '+short', '+tries=1', '+time=1', name, type]
    return (await run('/usr/bin/dig', words).catch(() => ({ stdout: '' }))).stdout.trim()
  }

  #write(): void {
    writeFileSync(join(this.dir, 'named.conf'), this.#conf())
  }
}

/** What an agent wrote for named, with its paths below the agent's own directory. */
export function rendered(root: string): string {
  const folder = join(root, 'etc/bind/panel')
  const moved = (path: string): string =>
    readFileSync(join(folder, path), 'utf8').replace(/"(\/(?:etc|var)\/)/g, `"${root}$1`)
  const files = readdirSync(join(folder, 'zones.d')).map((name) => `zones.d/${name}`)
  return ['dnssec-policy.conf', ...files].map(moved).join('')
}

/** Changes with each file that an agent writes for named. */
function writtenBelow(root: string): string {
  const files = ['zones', 'zones.d'].flatMap((folder) => {
    const path = join(root, 'etc/bind/panel', folder)
    return readdirSync(path).map((name) => join(path, name))
  })
  return files.map((file) => `${file} ${statSync(file, { throwIfNoEntry: false })?.mtimeMs}`).join()
}

/** The rules by which others take zones, with a port of loopback for theirs. */
export const transferRules = (root: string, port: number): string =>
  readFileSync(join(root, 'etc/bind/panel/transfer.conf'), 'utf8').replaceAll(
    `{ ${loopback} `,
    `{ ${loopback} port ${port} `,
  )

/** What a peer was told, with a port of loopback for its primary; outside of options, and inside. */
export function knownPeer(configuration: string, port: number): { outside: string; inside: string } {
  const received = configuration.replace(/\{ [0-9a-f.:]+ key/g, `{ ${loopback} port ${port} key`)
  const [outside = '', inside = ''] = received.split(/^\/\/.*$/m)
  return { outside, inside }
}
