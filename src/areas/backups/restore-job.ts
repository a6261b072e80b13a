import type { BackupPartName } from '../../contract/backups.ts'
import { Problem } from '../../contract/problem.ts'
import type { FilesFromAfar } from '../../host/contract/client.ts'
import { FileError, HostError, type ReadPart } from '../../host/contract/driver.ts'
import {
  BULK_SILENCE_LIMIT_MS,
  JobError,
  type JobKind,
  type RunningJob,
  type Settle,
} from '../../runtime/jobs/job-kind.ts'
import { day } from '../../shared/time.ts'
import { applyAccount, type Host, watching } from '../accounts/jobs/apply.ts'
import { inHomeNow } from '../accounts/objects/former-home.ts'
import { type DatabasesRequest, partsOf } from '../accounts/objects/part.ts'
import { raiseGeneration } from '../accounts/objects/revision.ts'
import { hostNameOf } from '../accounts/objects/state.ts'
import { refuseLargeStateNow } from '../accounts/objects/state-size.ts'
import { accountById, type FullAccount, nameOf } from '../accounts/store.ts'
import { servedDomains } from '../domains/store.ts'
import { measureAfter, roomForAll } from '../files/quota.ts'
import { contentOf, restoresOf } from './content.ts'
import { quietContext } from './context.ts'
import { newBackup } from './create.ts'
import { placeOf } from './destinations/host-destination.ts'
import { defaultDestination } from './destinations/store.ts'
import { giveUp, makeBackup } from './jobs.ts'
import { restoreOrder } from './restore.ts'
import { removeRestore, restoreById, setRestore } from './restores.ts'
import { addBackup, backupById, setBackup } from './store.ts'
import type { BackupRow, RestoreRow } from './tables.ts'
import { damagedAs } from './trials.ts'

const keepsSafety = 7 * day

/** A running restore: what is restored, from where, and into which account. */
class Restore {
  readonly #host: Host
  readonly #job: RunningJob

  constructor(host: Host, job: RunningJob) {
    this.#host = host
    this.#job = job
  }

  get #store() {
    return this.#host.runtime.store
  }

  get #row(): RestoreRow {
    const row = restoreById(this.#store.db, this.#job.row.id)
    if (!row) throw new JobError('The account no longer exists.', true)
    return row
  }

  get #backup(): BackupRow {
    const backup = backupById(this.#store.db, this.#row.backup_id)
    if (!backup) throw new JobError('The backup no longer exists.', true)
    return backup
  }

  get #account(): FullAccount {
    const account = accountById(this.#store.db, this.#row.account_id)
    if (!account) throw new JobError('The account no longer exists.', true)
    return account
  }

  async run(): Promise<Settle> {
    const { parts, done } = this.#row
    this.#job.step('check')
    if (done.length === 0) await this.#check()
    await this.#takeSafety()
    for (const part of parts) if (!this.#row.done.includes(part)) await this.#restore(part)
    this.#job.step('finish')
    const follow = parts.includes('files') ? await this.#takeUp() : []
    if (parts.some((part) => part === 'files' || part === 'mail'))
      await applyAccount(this.#host, this.#account, this.#job, { beside: true })
    for (const act of follow) await act()
    if (parts.includes('files')) await this.#nameFormerHome()
    this.#reportSafety()
    return (ctx) => removeRestore(ctx.db, this.#job.row.id)
  }

  #reportSafety(): void {
    const { safety_id } = this.#row
    if (safety_id !== null) this.#job.log(whatWas(safety_id))
  }

  /** Reads everything needed before anything is changed. */
  async #check(): Promise<void> {
    const backup = this.#backup
    const { parts } = this.#row
    const into = hostNameOf(this.#account)
    const order = { ...this.#place(backup), parts, into }
    const { damage, contentBytes, freeBytes } = await this.#host.client.checkBackup(order, watching(this.#job))
    for (const line of damage) this.#job.log(line, 'error')
    if (damage.length > 0) {
      await this.#store.change(() =>
        setBackup({ store: this.#store }, backup.id, damagedAs(damage, this.#host.runtime.clock.now())),
      )
      throw new JobError(`The backup is damaged: ${damage[0]} Nothing was restored.`, true)
    }
    this.#refuseWithoutRoom(contentBytes, freeBytes)
  }

  #refuseWithoutRoom(needed: number, free: number | undefined): void {
    const quota = this.#account.disk_quota_mb
    if (quota !== null && needed > quota * megabyte)
      throw new JobError(`The backup needs ${mb(needed)} MB, and the account may use ${quota} MB.`, true)
    if (free !== undefined && needed > free)
      throw new JobError(`The backup needs ${mb(needed)} MB, and ${mb(free)} MB are free on the host.`, true)
  }

  /** Makes one backup of what will be replaced; an unfinished one is redone. */
  async #takeSafety(): Promise<void> {
    if (!this.#row.safety) return
    this.#job.step('backup')
    const safety = backupById(this.#store.db, this.#row.safety_id ?? (await this.#newSafety()))
    if (safety?.status !== 'running') return
    try {
      const settle = await makeBackup(this.#host, { ...this.#job, step: () => {} }, safety)
      const ctx = quietContext(this.#host.runtime, this.#job.row)
      await this.#store.change(() => {
        settle(ctx)
        setBackup(ctx, safety.id, { expires_at: ctx.now + keepsSafety })
      })
    } catch (error) {
      if (!(error instanceof JobError)) throw error
      throw new JobError(`The safety backup could not be made, so nothing was restored. ${error.message}`, error.final)
    }
  }

  async #newSafety(): Promise<string> {
    const { runtime } = this.#host
    const { id: job_id, parts: requested, backup_id } = this.#row
    const id = runtime.id()
    const destination_id = defaultDestination(this.#store.db).id
    const made = {
      id,
      kind: 'safety',
      wanted: requested,
      destination_id,
      job_id,
      created_at: runtime.clock.now(),
    } as const
    const account = nameOf(this.#account)
    const restored = backupById(this.#store.db, backup_id)?.created_at ?? made.created_at
    const note = `before the backup of ${minuteOf(restored)} UTC was restored`
    await this.#store.change(() => {
      addBackup(runtime, newBackup(account, { ...made, note }))
      setRestore(runtime, job_id, { safety_id: id })
    })
    return id
  }

  async #restore(part: BackupPartName): Promise<void> {
    this.#job.step(part)
    try {
      if (part === 'files' || part === 'mail') await this.#restoreFiles(part)
      else if (part === 'mysql') await this.#restoreDatabases()
      else await this.#restoreRows(part)
    } catch (error) {
      this.#job.signal.throwIfAborted()
      throw this.#failure(part, error)
    }
    this.#job.log(`${part}: restored`)
  }

  #failure(part: BackupPartName, error: unknown): unknown {
    const isReportable = [Problem, JobError, HostError].some((kind) => error instanceof kind)
    if (!isReportable) return error
    const { done, safety_id } = this.#row
    const before = done.length > 0 ? ` Restored before it: ${done.join(', ')}.` : ''
    const safety = safety_id === null ? '' : ` ${whatWas(safety_id)}`
    const message = `The part ${part} was not restored: ${(error as Error).message}${before}${safety}`
    return new JobError(message, isFinal(error))
  }

  async #restoreFiles(part: ReadPart): Promise<void> {
    const { id, paths, put_to } = this.#row
    const place = this.#place(this.#backup)
    const order = { ...place, account: hostNameOf(this.#account), restore: id, part }
    const chosen = part === 'files' && {
      ...(paths && { paths: paths.map(encode) }),
      ...(put_to && { to: encode(put_to) }),
    }
    const renamed = part === 'mail' && this.#renamed()
    const { runtime } = this.#host
    const { inodes } = await roomForAll(runtime, this.#account.id, this.#job.signal)
    const room = inodes !== undefined && { inodes }
    await this.#host.client.restorePart({ ...order, ...chosen, ...renamed, ...room }, watching(this.#job))
    if (room) await measureAfter(runtime, this.#account.id, this.#job.signal)
    await this.#store.change(() => this.#noteDone(part))
  }

  /** Recreates missing rows first: the host must know the databases before it fills them. */
  async #restoreDatabases(): Promise<void> {
    const { id } = this.#row
    const { left, ...requested } = await this.#requestedDatabases()
    await applyAccount(this.#host, this.#account, this.#job, { beside: true })
    const order = { ...this.#place(this.#backup), account: hostNameOf(this.#account), restore: id, ...requested }
    const { warnings } = await this.#host.client.restoreDatabases(order, watching(this.#job))
    for (const line of [...left, ...warnings]) this.#job.log(line, 'warn')
    await this.#store.change(() => this.#noteDone('mysql'))
  }

  async #requestedDatabases(): Promise<DatabasesRequest> {
    const { runtime } = this.#host
    const saved = (await this.#read()).databases
    return this.#store.change(() => {
      const ctx = quietContext(runtime, this.#job.row)
      const [part] = partsOf(runtime).flatMap(({ databases }) => databases ?? [])
      if (!part || !saved) throw new JobError('The backup does not say which databases there were.', true)
      const { databases } = this.#row
      const missing = databases?.find((one) => !saved.databases.some(({ name }) => name === one))
      if (missing) throw new JobError(`${missing} is not in the backup.`, true)
      const requested = part.restore(ctx, this.#account, saved, databases ?? undefined)
      raiseGeneration(runtime, this.#row.account_id)
      return requested
    })
  }

  async #read() {
    const read = await this.#host.client.readBackup(this.#place(this.#backup), watching(this.#job))
    return contentOf(this.#host.runtime, this.#backup, read)
  }

  /** Lets areas follow the files now in the home; what they return runs once the host is up to date. */
  async #takeUp() {
    const { runtime, client } = this.#host
    const { paths, put_to } = this.#row
    const places = put_to === null ? paths : [put_to]
    const follow: (() => Promise<void>)[] = []
    for (const { filesRestored } of partsOf(runtime))
      if (filesRestored)
        follow.push(await filesRestored(runtime, client, this.#account, this.#job, places ?? undefined))
    return follow
  }

  /** PHP settings in the sites are listed, not rewritten: only their author knows their purpose. */
  async #nameFormerHome(): Promise<void> {
    const { username } = this.#backup
    const account = this.#account
    if (username === account.username) return
    const files = this.#host.client.files(hostNameOf(account))
    for (const { document_root } of servedDomains(this.#store.db, account.id)) {
      if (document_root === null) continue
      const path = `${document_root}/.user.ini`
      const text = await textAt(files, path).catch(() => '')
      if (inHomeNow(text, username, account.username) !== text)
        this.#job.log(`${path} names the former home /home/${username}: change it`, 'warn')
    }
  }

  /** For a new or moved account, moves the mail to where its mailboxes are now. */
  #renamed() {
    const [from, to] = [this.#backup.domain, this.#account.main_domain]
    return from !== to && { domain: { from, to } }
  }

  /** Restores every area's share in one change, or none; then applies the host. */
  async #restoreRows(part: BackupPartName): Promise<void> {
    const { runtime } = this.#host
    const from = await this.#read()
    const left: string[] = []
    await this.#store.change(() => {
      const ctx = quietContext(runtime, this.#job.row)
      for (const restore of restoresOf(ctx, this.#account, part, from)) left.push(...restore())
      refuseLargeStateNow(ctx, this.#row.account_id)
      raiseGeneration(runtime, this.#row.account_id)
      this.#noteDone(part)
    })
    for (const line of left) this.#job.log(line, 'warn')
    await applyAccount(this.#host, this.#account, this.#job, { beside: true })
  }

  #noteDone(part: BackupPartName): void {
    setRestore(this.#host.runtime, this.#job.row.id, { done: [...this.#row.done, part] })
  }

  #place(backup: BackupRow) {
    return { place: placeOf(this.#host.runtime, backup), manifestSha256: backup.manifest_sha256! }
  }
}

const MAX_SETTINGS_BYTES = 65_535

async function textAt(files: FilesFromAfar, path: string): Promise<string> {
  const range = `bytes=0-${MAX_SETTINGS_BYTES}`
  const { answer, stream } = await files.read({ path: encode(path), range })
  // A host may have more to say than it was asked for.
  if (answer.length > MAX_SETTINGS_BYTES) stream.destroy()
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}

/** Whether another attempt would fail the same way. */
const isFinal = (error: unknown): boolean =>
  error instanceof Problem ||
  error instanceof FileError ||
  (error instanceof JobError && error.final) ||
  (error instanceof HostError && error.stage === 'precheck')

const whatWas = (safety: string): string => `What there was before is in the safety backup ${safety}.`

const megabyte = 1024 * 1024
const mb = (bytes: number): number => Math.ceil(bytes / megabyte)
const encode = (path: string): string => Buffer.from(path).toString('base64')

/** The kind that restores a backup into an account. */
export const restoreJob = (host: Host): JobKind => ({
  kind: 'backup.restore',
  silenceLimitMs: BULK_SILENCE_LIMIT_MS,
  steps: ['check', 'backup', ...restoreOrder, 'finish'],
  exists: (job) => restoreById(host.runtime.store.db, job.id) !== undefined,
  run: (job) => new Restore(host, job).run(),
  failed: ({ runtime, db }, { id }) => forget(runtime, db, id),
  cancelled: (runtime, { id }) => forget(runtime, runtime.store.db, id),
})

function forget(runtime: Host['runtime'], db: Host['runtime']['store']['db'], id: string): void {
  const safety = restoreById(db, id)?.safety_id
  if (safety) giveUp(runtime, safety)
  removeRestore(db, id)
}

/** `2026-11-28 16:31` */
const minuteOf = (moment: number): string => new Date(moment).toISOString().slice(0, 16).replace('T', ' ')
