import { Problem } from '../../contract/problem.ts'
import type * as declared from '../../contract/ssl.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import type { FoundAccount } from '../accounts/objects/find-account.ts'
import { refuseBeingDeleted } from '../domains/busy.ts'
import { domainById } from '../domains/store.ts'
import type { DomainRow } from '../domains/tables.ts'
import { type Issued, use } from './activate.ts'
import { type Certificate, isRoot, pemOfCertificate } from './certificate.ts'
import { csrsOfDomain } from './csrs.ts'
import { newSelfSigned } from './ensure.ts'
import { domainOf } from './of-domain.ts'
import { openKey, purposes } from './sealed.ts'
import { findCertificate, listCertificates as list, toCertificate, usedBy } from './store.ts'
import type { CertificateRow } from './tables.ts'
import { validateUpload } from './validate-upload.ts'

const listCertificates: Handler<typeof declared.listCertificates> = {
  handle(ctx, { params, query }) {
    const { items, total } = list(ctx, params.id, query)
    return { items: items.map((one) => toCertificate(one, ctx.now)), total }
  },
}

const getCertificate: Handler<typeof declared.getCertificate> = {
  handle(ctx) {
    const { certificate } = ctx.found
    const { certificate: pem, ca_bundle } = certificate
    return { ...toCertificate(certificate, ctx.now), certificate: pem, ca_bundle }
  },
}

/** The keys to try for a certificate sent without one. */
function knownKeys({ db, runtime }: Context, domain: DomainRow) {
  const used = usedBy(db, domain)
  return [
    ...csrsOfDomain(db, domain.id).map(({ private_key }) => openKey(runtime, purposes.csr, private_key)),
    ...(used ? [openKey(runtime, purposes.certificate, used.private_key)] : []),
  ]
}

const installCertificate: Handler<typeof declared.installCertificate> = {
  handle(ctx, { body }) {
    const { account } = ctx.found
    const domain = domainOf(ctx, account, body.domain_id)
    const known = body.private_key === undefined ? knownKeys(ctx, domain) : []
    const validated = validateUpload(body, domain.name, ctx.now, known)
    refuseBeingDeleted(domain)
    // A bundle repairs the chain, so the certificate is installed again even if it is in use.
    if (body.ca_bundle === undefined) refuseSame(ctx, domain, validated.chain)
    const row = take(ctx, account, domain, { kind: 'custom', ...validated })
    const details = { domains: row.domains, not_after: row.not_after }
    ctx.emit({ type: 'ssl.installed', account, object_id: row.id, details })
    const warnings = chainWarnings(validated.chain, row, ctx.now)
    return { ...accepted(ctx, account, row, 'ssl.install'), ...(warnings.length > 0 && { warnings }) }
  },
}

/** The same certificate with another chain is another; without one, the chain in use is what it has. */
function refuseSame({ db }: Context, domain: DomainRow, [leaf, ...above]: Issued['chain']): void {
  const used = usedBy(db, domain)
  if (used?.certificate !== pemOfCertificate(leaf)) return
  const ca_bundle = above.map(pemOfCertificate).join('')
  if (ca_bundle !== '' && ca_bundle !== used.ca_bundle) return
  throw new Problem('exists', `${domain.name} has this certificate in use already.`, {
    certificate: 'is in use already',
  })
}

/** What keeps programs from trusting a certificate that is installed all the same. */
function chainWarnings([leaf, ...above]: Issued['chain'], { trusted }: CertificateRow, now: number): string[] {
  const ended = above.find(({ notAfter }) => notAfter <= now)
  if (ended)
    return [`The chain has a certificate that expired: ${ended.subject}. Ask the authority for the current one.`]
  if (trusted) return []
  if (isRoot(leaf)) return ["The certificate is self-signed: visitors' programs warn of it."]
  return above.length === 0 ? [withoutChain(leaf)] : []
}

const withoutChain = ({ issuer }: Certificate): string =>
  `The chain is missing: visitors' programs may not trust the certificate. Install it again with that of ${issuer} as the CA bundle.`

function take(ctx: Context, account: FoundAccount, domain: DomainRow, issued: Issued): CertificateRow {
  const row = use(ctx.runtime, domain, issued)
  ctx.note({ account, object_id: row.id, after: { domain: domain.name, kind: row.kind, domains: row.domains } })
  return row
}

function accepted(ctx: Context, account: FoundAccount, { id, domain_id }: CertificateRow, kind: string) {
  const certificate = toCertificate(findCertificate(ctx, account.id, id), ctx.now)
  return { certificate, job_id: ctx.enqueue({ kind, account, object_id: id, payload: { domain_id } }) }
}

const uninstallCertificate: Handler<typeof declared.uninstallCertificate, Issued> = {
  prepare: (ctx) => newSelfSigned(ctx.runtime, domainById(ctx.db, ctx.found.certificate.domain_id)!),
  handle(ctx, _input, issued) {
    const { account, certificate } = ctx.found
    if (certificate.kind === 'self_signed')
      throw new Problem('in-use', `${certificate.name} has no certificate but this self-signed one.`)
    const domain = domainById(ctx.db, certificate.domain_id)!
    refuseBeingDeleted(domain)
    const answer = toCertificate(certificate, ctx.now)
    const row = use(ctx.runtime, domain, issued)
    ctx.note({ account, object_id: certificate.id, before: { domain: domain.name, kind: certificate.kind } })
    const { id: object_id, domains } = certificate
    ctx.emit({ type: 'ssl.uninstalled', account, object_id, details: { domains } })
    const { job_id } = accepted(ctx, account, row, 'ssl.uninstall')
    return { certificate: answer, job_id }
  },
}

export const certificateOperations = { listCertificates, getCertificate, installCertificate, uninstallCertificate }
