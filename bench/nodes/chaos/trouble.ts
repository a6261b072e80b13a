import type { Member } from '../member.ts'
import type { Random } from '../random.ts'
import type { World } from '../world.ts'

const panelEvery = 12
/** Three attempts take five seconds, and longer on a machine with other work. */
const allAttempts = 20_000
/** A clock that is off by more than five minutes is refused. */
const worstClock = 480_000

/** Each second one thing breaks: an agent, its disk or its clock, the panel, or the network between them. */
export class Trouble {
  readonly done: Record<string, number> = {}
  readonly #world: World
  readonly #random: Random
  #timer: NodeJS.Timeout | undefined
  #turn = 0
  readonly #later = new Set<NodeJS.Timeout>()

  constructor(world: World, random: Random) {
    this.#world = world
    this.#random = random
  }

  begin(): void {
    this.#timer = setInterval(() => this.#one(), 1000)
  }

  /** All that was broken is whole again. */
  async end(): Promise<void> {
    clearInterval(this.#timer)
    for (const timer of this.#later) clearTimeout(timer)
    for (const disk of this.#world.disks.values()) disk.empty()
    this.#world.cables?.repair()
    this.#world.network.repair()
    for (const agent of this.#skewed) await agent.end()
    for (const member of [this.#world.panel, ...this.#world.agents]) {
      member.signal('SIGCONT')
      member.start()
    }
  }

  readonly #skewed = new Set<Member>()
  readonly #filled = new Set<string>()

  #one(): void {
    const agent = this.#random.of(this.#world.agents)
    const dice = this.#random.next()
    if (++this.#turn % panelEvery === 0) return this.#kill(this.#world.panel, 'panel killed')
    const [, act] = this.#kinds(agent).find(([below]) => dice < below)!
    act()
  }

  #kinds(agent: Member): readonly (readonly [below: number, act: () => void])[] {
    const { network } = this.#world
    const random = this.#random
    return [
      [0.04, () => this.#stop(this.#world.panel, 3000, 'panel stopped')],
      [0.09, () => this.#killLocal()],
      [0.4, () => this.#kill(agent, 'killed')],
      [0.55, () => this.#stop(agent, 9000, 'stopped')],
      [0.62, () => this.#count('cut', () => network.cut(random))],
      [0.7, () => this.#pull(agent)],
      [0.78, () => this.#count('half open', () => network.halve(random, random.between(1000, 12_000)))],
      [0.86, () => this.#count('stalled', () => network.stall(random, random.between(500, 8000)))],
      [0.94, () => this.#fill(agent)],
      [1, () => this.#skew(agent)],
    ]
  }

  #count(what: string, act: () => void): void {
    this.done[what] = (this.done[what] ?? 0) + 1
    act()
  }

  #kill(member: Member, what: string): void {
    this.#count(what, () => member.signal('SIGKILL'))
    this.#after(this.#random.between(300, 2000), () => member.start())
  }

  /** The server starts it again by itself. */
  #killLocal(): void {
    const pid = this.#world.localAgent
    if (pid !== undefined) this.#count('local agent killed', () => process.kill(pid, 'SIGKILL'))
  }

  #stop(member: Member, max: number, what: string): void {
    this.#count(what, () => member.signal('SIGSTOP'))
    this.#after(this.#random.between(500, max), () => member.signal('SIGCONT'))
  }

  /** Where nodes have no networks of their own, nothing. */
  #pull({ name }: Member): void {
    const { cables } = this.#world
    if (!cables) return
    this.#count('cable pulled', () => cables.pull(name))
    this.#after(this.#random.between(500, 12_000), () => cables.putBack(name))
  }

  /** For a shorter time than all attempts of a job last, and not again before they are over. */
  #fill({ name }: Member): void {
    const disk = this.#world.disks.get(name)
    if (!disk || this.#filled.has(name)) return
    this.#filled.add(name)
    this.#count('disk full', () => disk.fill())
    this.#after(this.#random.between(500, 2000), () => disk.empty())
    this.#after(allAttempts, () => this.#filled.delete(name))
  }

  #skew(agent: Member): void {
    if (this.#skewed.has(agent)) return
    this.#skewed.add(agent)
    const ms = Math.round(this.#random.between(-worstClock, worstClock))
    this.#count('clock wrong', () => void agent.end().then(() => agent.start(ms)))
    this.#after(this.#random.between(2000, 8000), () => {
      void agent.end().then(() => {
        this.#skewed.delete(agent)
        agent.start()
      })
    })
  }

  #after(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#later.delete(timer)
      act()
    }, ms)
    this.#later.add(timer)
  }
}
