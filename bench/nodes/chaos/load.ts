import type { Random } from '../random.ts'
import type { Answer, World } from '../world.ts'
import { changeOf } from './changes.ts'
import { Known } from './known.ts'

const shareOfCreates = 0.3
/** Changes missed in a longer break are not made up for. */
const maxDelay = 2_000

/** As the package has it. */
const atFirst = { cgi: true, suspended: false }

interface DesiredCounts {
  readonly accounts: number
  /** Changes a second. */
  readonly rate: number
}

/** Creates and changes accounts at a rate, each account by one hand, and remembers what was acknowledged. */
export class Load {
  readonly accounts: Known[] = []
  readonly answers: Record<string, number> = {}
  acknowledged = 0
  readonly #world: World
  readonly #random: Random
  readonly #expected: DesiredCounts
  #over = false
  #named = 0
  #creating = 0
  #due = 0

  constructor(world: World, random: Random, expected: DesiredCounts) {
    this.#world = world
    this.#random = random
    this.#expected = expected
  }

  async run(): Promise<void> {
    this.#due = Date.now()
    const hands = Math.max(8, Math.ceil(this.#expected.rate / 4))
    await Promise.all(Array.from({ length: hands }, () => this.#hand()))
  }

  end(): void {
    this.#over = true
  }

  async #hand(): Promise<void> {
    const own: Known[] = []
    while (!this.#over) {
      await this.#turn()
      const isNew = own.length === 0 || this.#random.next() < shareOfCreates
      if (isNew && this.accounts.length + this.#creating < this.#expected.accounts) await this.#create(own)
      else if (own.length > 0) await this.#change(this.#random.of(own))
    }
  }

  /** All hands together keep to the rate. */
  async #turn(): Promise<void> {
    this.#due = Math.max(this.#due + 1000 / this.#expected.rate, Date.now() - maxDelay)
    await new Promise((resolve) => setTimeout(resolve, this.#due - Date.now()))
  }

  async #create(own: Known[]): Promise<void> {
    this.#creating++
    const known = await this.#created(new Known(`u${this.#named++}`)).finally(() => this.#creating--)
    if (!known) return
    own.push(known)
    const domains = await this.#ask('GET', `/accounts/${known.id}/domains`)
    known.zone = domains.body?.items?.[0]?.zone_id
  }

  /** One that was refused is tried for again by another name. */
  async #created(known: Known): Promise<Known | undefined> {
    const { username } = known
    const email = `first@${username}.example`
    const body = { username, domain: `${username}.example`, contact_email: email }
    const answer = await this.#try('POST', '/accounts', body)
    if (answer.status !== 202) return undefined
    known.id = answer.body.account.id
    for (const [fact, value] of Object.entries({ contact_email: email, ...atFirst })) known.learn(fact, value, answer)
    this.accounts.push(known)
    return known
  }

  async #change(known: Known): Promise<void> {
    const { method, path, body, fact, value } = changeOf(known, this.#random)
    known.learn(fact, value, await this.#try(method, `/accounts/${known.id}${path}`, body))
  }

  async #try(method: string, path: string, body: object): Promise<Answer> {
    const answer = await this.#ask(method, path, body)
    const { status } = answer
    this.answers[status] = (this.answers[status] ?? 0) + 1
    if (status > 0 && status < 300) this.acknowledged++
    if (status === 0) await new Promise((resolve) => setTimeout(resolve, 100))
    return answer
  }

  /** Status 0 where no answer came: it may have been done or not. */
  #ask = (method: string, path: string, body?: object): Promise<Answer> =>
    this.#world.ask(method, path, body).catch(() => ({ status: 0, body: undefined }))
}
