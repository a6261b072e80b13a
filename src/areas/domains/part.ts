import type { z } from 'zod'
import type { certificateKinds, Domain } from '../../contract/domains.ts'
import type { HostParts } from '../../host/contract/driver.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Db } from '../../store/open.ts'
import type { FoundAccount } from '../accounts/objects/find-account.ts'
import type { DomainRow, RedirectRow, StoredWafException } from './tables.ts'

/** How many of something a domain has, in words: 2 mailboxes. */
export interface DomainUse {
  readonly count: number
  readonly noun: string
  /** The plural, if it is not regular. */
  readonly nouns?: string
  /** What to do about it. */
  readonly remedy?: string
}

/**
 * How an area extends domains. Hooks run inside the change that calls them, in the order of areas; `deleted` in
 * reverse. No events are emitted for a main domain: the account's own events cover it.
 */
export interface DomainPart {
  /** What it adds to a domain in the API. */
  readonly view?: (db: Db, domain: DomainRow, now: number) => Partial<Pick<z.infer<typeof Domain>, PartField>>
  /** The kind of the certificate in use; undefined if the site is not served over TLS. */
  readonly certificate?: (db: Db, domain: DomainRow) => (typeof certificateKinds)[number] | undefined
  /** Whether the certificate in use shows a name to strangers. */
  readonly proves?: (db: Db, domain: DomainRow, name: string) => boolean
  /** Whether its mail is kept on this server. */
  readonly takesMail?: (db: Db, domain: DomainRow, hostname: string) => boolean
  /** Whether WordPress is there, whose editor sends what the firewall takes for attacks. */
  readonly runsWordpress?: (db: Db, domain: DomainRow) => boolean
  /** The policy that senders of its mail read. */
  readonly mailPolicy?: (db: Db, domain: DomainRow) => MailPolicy | undefined
  /** How the web server shows an app of the account; undefined if there is none with this id. */
  readonly app?: (db: Db, accountId: string, appId: string) => AppSite | undefined
  /** After `domain.created`, or with its account. */
  readonly created?: (ctx: Context, domain: DomainRow) => void
  /** Called when its name changed with the main domain's. */
  readonly changed?: (ctx: Context, before: DomainRow, after: DomainRow) => void
  /** Called when its verification or its public mail servers have changed; the caller has the host updated. */
  readonly verified?: (changes: Pick<Context, 'store' | 'db' | 'runtime' | 'now' | 'emit'>, domain: DomainRow) => void
  /** Addresses of further name servers with the server's zones. */
  readonly nameserverAddresses?: (db: Db) => readonly string[]
  /** Removes what would prevent the deletion of a domain that another account has claimed. */
  readonly emptied?: (ctx: Context, domain: DomainRow) => void
  /** What prevents a domain's deletion. */
  readonly uses?: (db: Db, domain: DomainRow) => DomainUse | readonly DomainUse[]
  /** Before `domain.deleted`: the domain is being deleted, and its row goes when its job ends. */
  readonly deleted?: (ctx: Context, domain: DomainRow) => void
  /**
   * Called when the creation has failed for good: removes what `created` made that is not deleted with the row; no
   * event.
   */
  readonly undone?: (runtime: Runtime, domain: DomainRow) => void
}

type HostSite = HostParts['web']['sites'][number]

export type MailPolicy = NonNullable<NonNullable<HostSite['mail']>['policy']>

/** How an app is served: its files, its process, or nothing while it is stopped. */
export type AppSite = Pick<HostSite, 'handler'> & Partial<Pick<HostSite, 'documentRoot' | 'app'>>

type PartField = 'zone_id' | 'certificate' | 'autossl'

declare module '../../runtime/areas/area.ts' {
  interface Area {
    readonly ofDomain?: DomainPart
  }
}

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/accounts/{id}/domains/{did}': { domain: DomainRow }
    '/accounts/{id}/domains/{did}/redirects/{rid}': { redirect: RedirectRow }
    '/accounts/{id}/domains/{did}/waf/exceptions/{xid}': { exception: StoredWafException }
  }
}

/** The areas' domain parts, in the order of areas. */
export const domainParts = ({ areas }: Pick<Runtime, 'areas'>): DomainPart[] =>
  areas.flatMap(({ ofDomain }) => ofDomain ?? [])

/** The account and the domain of an operation's path. */
export interface OfDomain {
  readonly found: { readonly account: FoundAccount; readonly domain: DomainRow }
}

/** How an app of the account is shown. */
export function appSiteOf(runtime: Pick<Runtime, 'areas'>, db: Db, account: string, app: string): AppSite | undefined {
  for (const part of domainParts(runtime)) {
    const site = part.app?.(db, account, app)
    if (site) return site
  }
  return undefined
}
