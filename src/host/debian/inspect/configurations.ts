import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Misconfigured } from '../../contract/commands/state.ts'
import { HostError } from '../../contract/error.ts'
import { eachOf } from '../../measure/pool.ts'
import { setAt } from '../../parts/php/sets.ts'
import { ProgramError } from '../../programs/error.ts'
import { steps } from '../../setup/steps/index.ts'
import { poolShape } from '../checks.ts'
import type { Run } from '../commands.ts'
import { confFolder } from '../php/masters.ts'
import { phpFpm } from '../suite.ts'

/** A service, and its own checker. */
interface Checker {
  readonly name: string
  readonly check: readonly [string, ...string[]]
}

/** A web server that somebody installed beside nginx. */
const foreign: readonly Checker[] = [{ name: 'apache2', check: ['/usr/sbin/apache2ctl', '-t'] }]

const checkers: readonly Checker[] = [
  ...steps.flatMap(({ name, check }) => (check ? { name, check } : [])),
  ...foreign.filter(({ check: [program] }) => existsSync(program)),
]

/** Of pools that differ only in their accounts' names one is checked: these are as many kinds of them. */
const MAX_POOL_CHECKS = 100

/** PHP-FPM reads a file for each account and version. */
export function poolCheckers(root = '/'): Checker[] {
  const folder = join(root, confFolder)
  const kinds = new Map<string, Checker>()
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const version = setAt(`${confFolder}/${name}`)?.version
    if (version === undefined || kinds.size >= MAX_POOL_CHECKS) continue
    const file = join(folder, name)
    const kind = poolShape(`${confFolder}/${name}`, readFileSync(file, 'utf8')) ?? name
    if (!kinds.has(kind))
      kinds.set(kind, { name: 'php', check: [phpFpm({ php: version }), '-t', '--fpm-config', file] })
  }
  return [...kinds.values()]
}

/** `postfix check` writes to the system's log: what else reads the file says what is wrong with it. */
const readers: Readonly<Record<string, Checker['check']>> = {
  '/usr/sbin/postfix': ['/usr/sbin/postconf', '-n'],
}

const unshare = ['/usr/bin/unshare', '--ipc']

const needsOwnIpc = (words: readonly string[]): boolean => unshare.every((word, at) => words[at] === word)

const plain = (words: readonly string[]): readonly string[] =>
  needsOwnIpc(words) ? words.slice(unshare.length) : words

/** ProFTPD tells the system's log instead where its input is a socket, as it is for what Node starts. */
const withoutInput = ['/bin/sh', '-c', 'exec "$@" < /dev/null', 'sh']

/** The agent may make no namespace itself: systemd does. */
const confined = (words: Checker['check']): Checker['check'] => {
  if (!needsOwnIpc(words)) return words
  const options = ['--quiet', '--wait', '--pipe', '--collect', '-p', 'PrivateIPC=yes']
  return ['/usr/bin/systemd-run', ...options, ...withoutInput, ...plain(words)]
}

const CHECKS_AT_ONCE = 8
const CHECK_TIMEOUT_MS = 60_000
/** Who inspects the machine waits three seconds for everything. */
const WAIT_MS = 2_000

/** Whether the daemons' own checkers accept their configuration as it is now: without, none of them starts again. */
export class Configurations {
  readonly #run: Run
  readonly #all: readonly Checker[]
  readonly #pools: () => readonly Checker[]
  #last: readonly Misconfigured[] = []
  #running: Promise<void> | undefined

  constructor(run: Run, all = checkers, pools = poolCheckers) {
    this.#run = run
    this.#all = all
    this.#pools = pools
  }

  /** What `installed` services refuse. A check that takes longer is shown by the next call. */
  async misconfigured(installed: readonly string[], waitMs = WAIT_MS): Promise<readonly Misconfigured[]> {
    this.#running ??= this.#check(installed).finally(() => {
      this.#running = undefined
    })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, waitMs)
    })
    await Promise.race([this.#running, late])
    clearTimeout(timer)
    return this.#last
  }

  async #check(installed: readonly string[]): Promise<void> {
    const all = this.#all.filter(({ name }) => installed.includes(name) || foreign.some((one) => one.name === name))
    const found: Misconfigured[] = []
    await eachOf([...all, ...this.#pools()].toReversed(), CHECKS_AT_ONCE, async (one) => {
      found.push(...(await this.#problemOf(one)))
    })
    this.#last = found
  }

  async #problemOf({ name, check }: Checker): Promise<Misconfigured[]> {
    const error = await this.#errorOf(confined(check))
    if (error === undefined) return []
    const reader = readers[check[0]]
    const reason = (reader && (await this.#errorOf(reader))) ?? error
    return [{ name, check: plain(check).join(' '), reason }]
  }

  /** What a program says as it fails. */
  async #errorOf([program, ...args]: Checker['check']): Promise<string | undefined> {
    try {
      await this.#run(program, args, { stage: 'validate', timeout: CHECK_TIMEOUT_MS })
      return undefined
    } catch (error) {
      if (!(error instanceof HostError)) throw error
      return error instanceof ProgramError ? error.line : error.message
    }
  }
}
