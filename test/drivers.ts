import { type HostDriver, HostError, type HostState } from '../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../src/host/driver/file-driver.ts'

/** A driver whose applies and removals wait until they are released. */
export class PausedDriver implements HostDriver {
  readonly kind = 'directory'
  readonly calls: string[] = []
  readonly #inner: HostDriver
  #open = false
  #waiting: (() => void)[] = []

  constructor(root: string) {
    this.#inner = createDirectoryDriver({ root })
  }

  recover: HostDriver['recover'] = (ordered) => this.#inner.recover(ordered)
  applyServer: HostDriver['applyServer'] = (state) => this.#inner.applyServer(state)
  serveZones: HostDriver['serveZones'] = (served) => this.#inner.serveZones(served)
  diffZones: HostDriver['diffZones'] = (served) => this.#inner.diffZones(served)
  followPrimary: HostDriver['followPrimary'] = (primary) => this.#inner.followPrimary(primary)
  diff: HostDriver['diff'] = (...requests) => this.#inner.diff(...requests)
  inspect: HostDriver['inspect'] = () => this.#inner.inspect()
  verify: HostDriver['verify'] = (state, options) => this.#inner.verify(state, options)
  usage: HostDriver['usage'] = (accounts, options) => this.#inner.usage(accounts, options)
  files: HostDriver['files'] = (account) => this.#inner.files(account)
  get backups(): HostDriver['backups'] {
    return this.#inner.backups
  }
  get apps(): HostDriver['apps'] {
    return this.#inner.apps
  }
  get logs(): HostDriver['logs'] {
    return this.#inner.logs
  }
  runCron: HostDriver['runCron'] = (command, options) => this.#inner.runCron(command, options)
  trash: HostDriver['trash'] = (measured, options) => this.#inner.trash(measured, options)
  emptyTrash: HostDriver['emptyTrash'] = (before, doing) => this.#inner.emptyTrash(before, doing)
  close: HostDriver['close'] = () => this.#inner.close()

  apply: HostDriver['apply'] = async (state, options) => {
    this.calls.push(`apply ${state.accounts.map(({ username }) => username)}`)
    await this.#pass(options?.signal)
    return this.#inner.apply(state, options)
  }

  remove: HostDriver['remove'] = async (account) => {
    this.calls.push(`remove ${account.username}`)
    await this.#pass()
    return this.#inner.remove(account)
  }

  release(): void {
    this.#open = true
    for (const go of this.#waiting.splice(0)) go()
  }

  /** Makes calls from now on wait again. */
  hold(): void {
    this.#open = false
  }

  /** Releases the one that has waited longest. */
  releaseOne(): void {
    this.#waiting.shift()?.()
  }

  async #pass(signal?: AbortSignal): Promise<void> {
    if (this.#open) return
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
      signal?.addEventListener('abort', () => resolve())
    })
    signal?.throwIfAborted()
  }
}

const full = (): Error => new HostError('install', 'The disk of the host is full.')

/** A driver that fails a number of times, then works. */
export class FailingDriver implements HostDriver {
  readonly kind = 'directory'
  readonly #inner: HostDriver
  /** How many applies will still fail. */
  failures: number
  /** The affected account; every account if none is given. */
  only: string | undefined
  readonly #error: () => Error

  constructor(root: string, failures: number, error: () => Error = full) {
    this.#inner = createDirectoryDriver({ root })
    this.failures = failures
    this.#error = error
  }

  recover: HostDriver['recover'] = (ordered) => this.#inner.recover(ordered)
  remove: HostDriver['remove'] = (account) => this.#inner.remove(account)
  applyServer: HostDriver['applyServer'] = (state) => this.#inner.applyServer(state)
  serveZones: HostDriver['serveZones'] = (served) => this.#inner.serveZones(served)
  diffZones: HostDriver['diffZones'] = (served) => this.#inner.diffZones(served)
  followPrimary: HostDriver['followPrimary'] = (primary) => this.#inner.followPrimary(primary)
  diff: HostDriver['diff'] = (...requests) => this.#inner.diff(...requests)
  inspect: HostDriver['inspect'] = () => this.#inner.inspect()
  verify: HostDriver['verify'] = (state, options) => this.#inner.verify(state, options)
  usage: HostDriver['usage'] = (accounts, options) => this.#inner.usage(accounts, options)
  files: HostDriver['files'] = (account) => this.#inner.files(account)
  get backups(): HostDriver['backups'] {
    return this.#inner.backups
  }
  get apps(): HostDriver['apps'] {
    return this.#inner.apps
  }
  get logs(): HostDriver['logs'] {
    return this.#inner.logs
  }
  runCron: HostDriver['runCron'] = (command, options) => this.#inner.runCron(command, options)
  trash: HostDriver['trash'] = (measured, options) => this.#inner.trash(measured, options)
  emptyTrash: HostDriver['emptyTrash'] = (before, doing) => this.#inner.emptyTrash(before, doing)
  close: HostDriver['close'] = () => this.#inner.close()

  apply: HostDriver['apply'] = async (state, options) => {
    if (this.#concerns(state) && this.failures-- > 0) throw this.#error()
    return this.#inner.apply(state, options)
  }

  #concerns({ accounts }: HostState): boolean {
    return this.only === undefined || accounts.some(({ username }) => username === this.only)
  }
}

/** A driver that does everything and still warns. */
export class WarningDriver implements HostDriver {
  readonly kind = 'directory'
  readonly #inner: HostDriver
  readonly #message: string

  constructor(root: string, message: string) {
    this.#inner = createDirectoryDriver({ root })
    this.#message = message
  }

  recover: HostDriver['recover'] = (ordered) => this.#inner.recover(ordered)
  remove: HostDriver['remove'] = (account) => this.#inner.remove(account)
  applyServer: HostDriver['applyServer'] = (state) => this.#inner.applyServer(state)
  serveZones: HostDriver['serveZones'] = (served) => this.#inner.serveZones(served)
  diffZones: HostDriver['diffZones'] = (served) => this.#inner.diffZones(served)
  followPrimary: HostDriver['followPrimary'] = (primary) => this.#inner.followPrimary(primary)
  diff: HostDriver['diff'] = (...requests) => this.#inner.diff(...requests)
  inspect: HostDriver['inspect'] = () => this.#inner.inspect()
  verify: HostDriver['verify'] = (state, options) => this.#inner.verify(state, options)
  usage: HostDriver['usage'] = (accounts, options) => this.#inner.usage(accounts, options)
  files: HostDriver['files'] = (account) => this.#inner.files(account)
  get backups(): HostDriver['backups'] {
    return this.#inner.backups
  }
  get apps(): HostDriver['apps'] {
    return this.#inner.apps
  }
  get logs(): HostDriver['logs'] {
    return this.#inner.logs
  }
  runCron: HostDriver['runCron'] = (command, options) => this.#inner.runCron(command, options)
  trash: HostDriver['trash'] = (measured, options) => this.#inner.trash(measured, options)
  emptyTrash: HostDriver['emptyTrash'] = (before, doing) => this.#inner.emptyTrash(before, doing)
  close: HostDriver['close'] = () => this.#inner.close()

  apply: HostDriver['apply'] = async (state, options) => {
    const { areas } = await this.#inner.apply(state, options)
    const warnings = state.accounts.map(({ id }) => ({ kind: 'home' as const, account: id, message: this.#message }))
    return { areas, warnings }
  }
}

/** A driver with the test's own measuring. */
export function measuredBy(usage: (real: HostDriver) => HostDriver['usage']): (root: string) => HostDriver {
  return (root) => {
    const real = createDirectoryDriver({ root })
    return {
      kind: real.kind,
      recover: () => real.recover(),
      apply: (state, options) => real.apply(state, options),
      remove: (account) => real.remove(account),
      usage: usage(real),
      applyServer: (state) => real.applyServer(state),
      serveZones: (served) => real.serveZones(served),
      diffZones: (served) => real.diffZones(served),
      followPrimary: (primary) => real.followPrimary(primary),
      diff: (...requests) => real.diff(...requests),
      inspect: () => real.inspect(),
      verify: (state, options) => real.verify(state, options),
      files: (account) => real.files(account),
      backups: real.backups,
      apps: real.apps,
      logs: real.logs,
      runCron: (...command) => real.runCron(...command),
      trash: (...requests) => real.trash(...requests),
      emptyTrash: (...requests) => real.emptyTrash(...requests),
      close: () => real.close(),
    }
  }
}
