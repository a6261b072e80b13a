import { chmodSync, chownSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { watchSpace } from '../../traffic/watch.ts'
import { userNamed } from '../names.ts'
import { serveMilter } from './milter/session.ts'
import { queueDir, returnSocket, senderKeysFile, sockets } from './places.ts'
import { PostfixQueue } from './queue/postfix-queue.ts'
import { Submitters } from './queue/submitters.ts'
import { noteDomain, RefusedDomains, servePolicy } from './refused.ts'
import { Sending } from './sending.ts'
import { Sent } from './sent.ts'
import { RewrittenSenders } from './srs/addresses.ts'
import { Bounces, serveMap } from './srs/bounces.ts'
import { senderOf, serveForwarding } from './srs/forwarding.ts'
import { SenderKeys } from './srs/keys.ts'
import { SubmitLists } from './submit-lists.ts'
import { TenantList } from './tenants.ts'
import { postqueue, WaitingMail } from './waiting.ts'

const minute = 60_000
const records = '/var/lib/panel-host/sent.json'
const submitted = '/var/lib/panel-host/submitted'

/** Controls what accounts send: Postfix asks here about each message, from SMTP or a program. */
export class Submission {
  readonly tenants = new TenantList()
  readonly refused = new RefusedDomains()
  readonly #sending: Sending
  readonly #lists: SubmitLists
  readonly #submitters: Submitters
  readonly #waiting: WaitingMail
  /** All that waits to be delivered, accounts' mail and other. */
  readonly queue: PostfixQueue
  readonly #senders = new RewrittenSenders(new SenderKeys(senderKeysFile, Date.now).all, Date.now)
  #listening = false
  #due: NodeJS.Timeout | undefined

  /** `attempts`: how often the delivery of a message has begun. */
  constructor(attempts: (id: string) => number) {
    mkdirSync(dirname(records), { recursive: true })
    this.#submitters = new Submitters(submitted)
    const submitter = (id: string) => this.#submitters.get(id)?.uid
    this.queue = new PostfixQueue({ queueDir, tenants: this.tenants, submitter, attempts })
    this.#waiting = new WaitingMail({
      ...{ maildrop: `${queueDir}/maildrop`, list: postqueue, submitters: this.#submitters },
    })
    this.#sending = new Sending(this.tenants, new Sent(records), () => this.#look(50), this.#waiting)
    this.#lists = new SubmitLists({ tenants: this.tenants, isOver: this.#sending.isOver })
  }

  /** Starts serving, if Postfix is installed. */
  listen(): void {
    if (this.#listening || !existsSync(dirname(sockets.login.path))) return
    this.#listening = true
    serveAt(sockets.login.path, (stream) => serveMilter(stream, this.#sending.bySmtp))
    serveAt(sockets.program.path, (stream) => serveMilter(stream, this.#sending.byProgram))
    serveAt(sockets.unverified.path, (stream) => servePolicy(stream, noteDomain(this.refused)))
    this.#listenForForwards()
    this.#lists.write()
    setInterval(() => this.#look(0, true), minute).unref()
    watchSpace({ path: queueDir, sweep: () => this.#measure() })
  }

  #listenForForwards(): void {
    const bounces = new Bounces(this.#senders, Date.now)
    const isOwn = (domain: string) => this.tenants.isOwn(domain)
    const senderFor = (sender: string, original: string) =>
      senderOf(sender, original, (address, by) => this.#senders.forward(address, by), { isOwn })
    serveAt(sockets.forward.path, (stream) => void serveForwarding(stream, { socket: returnSocket.path, senderFor }))
    serveAt(sockets.bounces.path, (stream) => servePolicy(stream, bounces.decide))
    serveAt(sockets.bounceTargets.path, (stream) => serveMap(stream, bounces.reverse))
  }

  sentBy(username: string): number | undefined {
    for (const tenant of this.tenants.all()) if (tenant.username === username) return this.#sending.sentBy(tenant)
    return undefined
  }

  changed(username: string, uid: number): void {
    this.tenants.changed(username, uid)
    this.#look(0, true)
  }

  async #measure(): Promise<void> {
    await this.#waiting.look()
    this.#look(0)
  }

  #look(soon: number, senders = false): void {
    if (senders) this.#lists.sendersChanged()
    this.#due ??= setTimeout(() => {
      this.#due = undefined
      this.#lists.write()
    }, soon).unref()
  }
}

function serveAt(path: string, serve: (stream: Socket) => void): void {
  const owner = userNamed('postfix')
  rmSync(path, { force: true })
  const server = createServer(serve)
  server.on('error', ({ message }) => process.stderr.write(`error: ${path}: ${message}\n`))
  server.listen(path, () => {
    if (owner) chownSync(path, owner.uid, 0)
    chmodSync(path, 0o600)
  })
  server.unref()
}
