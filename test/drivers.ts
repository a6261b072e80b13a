import { driverCommands } from '../src/host/contract/commands/index.ts'
import { type HostDriver, HostError, type HostFeature, type HostState } from '../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../src/host/driver/file-driver.ts'

const methods = ['recover', 'apply', 'remove', 'endWork', 'files', 'close', ...Object.keys(driverCommands)] as const
type Methods = Omit<HostDriver, 'kind' | 'apps' | 'backups' | 'dumps' | 'imports' | 'logs' | 'programs'>

class Wrapped {
  readonly kind = 'directory'
  readonly inner: HostDriver

  constructor(inner: HostDriver) {
    this.inner = inner
    const all = inner as unknown as Readonly<Record<string, (...input: unknown[]) => unknown>>
    for (const name of methods) Object.assign(this, { [name]: (...input: unknown[]) => all[name]!(...input) })
  }

  get apps(): HostDriver['apps'] {
    return this.inner.apps
  }
  get backups(): HostDriver['backups'] {
    return this.inner.backups
  }
  get dumps(): HostDriver['dumps'] {
    return this.inner.dumps
  }
  get imports(): HostDriver['imports'] {
    return this.inner.imports
  }
  get logs(): HostDriver['logs'] {
    return this.inner.logs
  }
  get programs(): HostDriver['programs'] {
    return this.inner.programs
  }
  get features(): readonly HostFeature[] {
    return this.inner.features ?? []
  }
}

/** A host with both programs that links open. */
export function withPrograms(driver: HostDriver, openProgram: HostDriver['programs']['openProgram']): HostDriver {
  const features = ['apache', 'http3', 'waf', 'webmail', 'phpmyadmin'] as const
  Object.defineProperty(driver, 'features', { value: features })
  return Object.assign(driver, { programs: { openProgram } })
}

/** A driver that does what another does, unless fields of its class replace it. */
export const WrappedDriver = Wrapped as new (inner: HostDriver) => Wrapped & Methods

/** A driver whose applies and removals wait until they are released. */
export class PausedDriver extends WrappedDriver {
  readonly calls: string[] = []
  #open = false
  #waiting: (() => void)[] = []

  constructor(root: string) {
    super(createDirectoryDriver({ root }))
  }

  override apply: HostDriver['apply'] = async (state, options) => {
    this.calls.push(`apply ${state.accounts.map(({ username }) => username)}`)
    await this.#pass(options?.signal)
    return this.inner.apply(state, options)
  }

  override remove: HostDriver['remove'] = async (account) => {
    this.calls.push(`remove ${account.username}`)
    await this.#pass()
    return this.inner.remove(account)
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
export class FailingDriver extends WrappedDriver {
  /** How many applies will still fail. */
  failures: number
  /** The affected account; every account if none is given. */
  only: string | undefined
  readonly #error: () => Error

  constructor(root: string, failures: number, error: () => Error = full) {
    super(createDirectoryDriver({ root }))
    this.failures = failures
    this.#error = error
  }

  override apply: HostDriver['apply'] = async (state, options) => {
    if (this.#concerns(state) && this.failures-- > 0) throw this.#error()
    return this.inner.apply(state, options)
  }

  #concerns({ accounts }: HostState): boolean {
    return this.only === undefined || accounts.some(({ username }) => username === this.only)
  }
}

/** A driver that does everything and still warns. */
export class WarningDriver extends WrappedDriver {
  readonly #message: string

  constructor(root: string, message: string) {
    super(createDirectoryDriver({ root }))
    this.#message = message
  }

  override apply: HostDriver['apply'] = async (state, options) => {
    const { areas } = await this.inner.apply(state, options)
    const warnings = state.accounts.map(({ id }) => ({ kind: 'home' as const, account: id, message: this.#message }))
    return { areas, warnings }
  }
}

/** A driver with the test's own measuring. */
export function measuredBy(usage: (real: HostDriver) => HostDriver['usage']): (root: string) => HostDriver {
  return (root) => {
    const real = createDirectoryDriver({ root })
    return Object.assign(new WrappedDriver(real), { usage: usage(real) })
  }
}
