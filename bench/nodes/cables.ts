import { execFileSync } from 'node:child_process'

const ip = (...words: readonly string[]): void => void execFileSync('ip', words, { stdio: 'pipe' })

/** A network namespace for each node, joined by one bridge. A cable that is pulled lets nothing through, and tells neither end. */
export class Cables {
  readonly #tag = process.pid.toString(36)
  readonly #bridge = `pb${this.#tag}`
  /** Of addresses for benchmarks (RFC 2544). */
  readonly #net = `198.18.${process.pid % 250}`
  readonly #plugged = new Map<string, { readonly end: string; readonly space: string }>()

  constructor() {
    ip('link', 'add', this.#bridge, 'type', 'bridge')
    ip('addr', 'add', `${this.address}/24`, 'dev', this.#bridge)
    ip('link', 'set', this.#bridge, 'up')
  }

  /** Where nodes reach the machine of the panel. */
  get address(): string {
    return `${this.#net}.1`
  }

  /** Answers the words that run a command behind the cable. */
  plug(name: string): string[] {
    const [end, space] = [`pv${this.#tag}${name}`, `panel-${this.#tag}-${name}`]
    ip('netns', 'add', space)
    this.#plugged.set(name, { end, space })
    ip('link', 'add', end, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space)
    ip('link', 'set', end, 'master', this.#bridge, 'up')
    ip('-n', space, 'addr', 'add', `${this.#net}.${this.#plugged.size + 1}/24`, 'dev', 'eth0')
    ip('-n', space, 'link', 'set', 'eth0', 'up')
    return ['ip', 'netns', 'exec', space]
  }

  pull(name: string): void {
    ip('link', 'set', this.#plugged.get(name)!.end, 'down')
  }

  putBack(name: string): void {
    ip('link', 'set', this.#plugged.get(name)!.end, 'up')
  }

  /** All that was pulled is whole again. */
  repair(): void {
    for (const name of this.#plugged.keys()) this.putBack(name)
  }

  /** The other end of a cable goes with its namespace. */
  end(): void {
    for (const { space } of this.#plugged.values()) ip('netns', 'del', space)
    ip('link', 'del', this.#bridge)
  }
}

/** Why nodes cannot have networks of their own, or nothing where they can. */
export function noCables(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can make network namespaces'
  try {
    execFileSync('ip', ['-V'], { stdio: 'pipe' })
  } catch {
    return 'there is no ip (iproute2)'
  }
  let cables: Cables | undefined
  try {
    cables = new Cables()
    const [command, ...words] = cables.plug('n0')
    execFileSync(command!, [...words, 'true'], { stdio: 'pipe' })
    return undefined
  } catch {
    return 'network namespaces cannot be made here'
  } finally {
    cables?.end()
  }
}
