import { createPrivateKey } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { JobKind, RunningJob, Settle } from '../../../runtime/jobs/job-kind.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { type JobRow, jobs } from '../../../runtime/tables.ts'
import { watching } from '../../accounts/jobs/apply.ts'
import { type Authority, openAuthority } from '../../ssl/acme/authority.ts'
import { AcmeError } from '../../ssl/acme/error.ts'
import { sentenceOf } from '../../ssl/acme/failure.ts'
import type { Proof } from '../../ssl/acme/order.ts'
import { pemOfCertificate } from '../../ssl/certificate.ts'
import { orderNames } from '../../ssl/obtain.ts'
import { applyServer } from './apply.ts'
import { forgetFailures, noteFailed } from './attempts.ts'
import { type Own, ownOf, ownOfJob } from './own.ts'
import { serverState } from './state.ts'

const namesOf = ({ payload }: JobRow): string[] => payload['names']!.split(',')

/** Gets one certificate for these names, and applies it to every service that uses the server's. */
async function issue(own: Own, job: RunningJob): Promise<Settle> {
  const names = namesOf(job.row)
  const { chain, leftOut } = await obtain(own, job, names).catch((error: unknown) => {
    throw job.signal.aborted ? error : (sentenceOf(error) ?? error)
  })
  await own.certificate.install(chain.map(pemOfCertificate).join(''))
  const applied = await applyServer(own, job)
  return (ctx) => {
    applied(ctx)
    if (leftOut === undefined) forgetFailures(ctx.db, own.node)
    else noteFailed(ctx.db, own.node, { names: names.join(), error: leftOut }, ctx.now)
  }
}

/** A name that fails validation does not keep the others from their certificate. */
async function obtain(own: Own, job: RunningJob, names: readonly string[]) {
  const authority = await openAuthority(own.runtime, job.signal)
  let left = names
  let leftOut: string | undefined
  for (;;) {
    try {
      return { chain: await order(own, job, authority, left), leftOut }
    } catch (error) {
      const rest = left.filter((name) => !(error instanceof AcmeError) || name !== error.domain)
      if (rest.length === left.length || rest.length === 0) throw error
      leftOut = (error as AcmeError).message
      job.log(`${(error as AcmeError).domain} is left out: ${leftOut}`, 'warn')
      left = rest
    }
  }
}

async function order(own: Own, job: RunningJob, authority: Authority, names: readonly string[]) {
  const { runtime, client, certificate } = own
  const key = createPrivateKey((await certificate.current()).key)
  const publish = async (proofs: readonly Proof[]): Promise<void> => {
    const challenges = proofs.map(({ token, content }) => ({ token, content }))
    await client.applyServer(await serverState(own, challenges), watching(job))
  }
  const [about] = names
  return orderNames(runtime, job, authority, { names, about: about!, challenge: 'http-01', key, publish })
}

/** Removes the challenges; what was served before stays. */
async function takeBack(own: Own | undefined, signal: AbortSignal): Promise<void> {
  if (own) await own.client.applyServer(await serverState(own), { signal })
}

function failed(ctx: Context, row: JobRow): void {
  const { error } = ctx.db.select({ error: jobs.error }).from(jobs).where(eq(jobs.id, row.id)).get()!
  noteFailed(ctx.db, row.node, { names: namesOf(row).join(), error: error ?? '' }, ctx.now)
}

/** A single attempt: the next is scheduled separately. */
export const issueJob = (runtime: Runtime): JobKind => ({
  kind: 'server.certificate',
  maxAttempts: 1,
  exists: () => true,
  run: (job) => issue(ownOfJob(runtime, job.row), job),
  undo: ({ node }, signal) => takeBack(ownOf(runtime, node), signal),
  failed,
})
