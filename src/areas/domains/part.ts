import type { z } from 'zod'
import type { certificateKinds, Domain } from '../../contract/domains.ts'
import type { HostParts } from '../../host/driver.ts'
import type { Context } from '../../runtime/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Db } from '../../store/open.ts'
import type { FoundAccount } from '../accounts/found.ts'
import type { DomainRow, RedirectRow } from './tables.ts'

/** How many of something a domain has, in words: 2 mailboxes. */
export interface Use {
  readonly count: number
  readonly noun: string
  /** Where it is not the noun and an s. */
  readonly nouns?: string
  /** What to do about it. */
  readonly remedy?: string
}

/**
 * What an area hangs on a domain. Hooks run inside the change that calls them, in the order of areas; `deleted` in the
 * reverse order. Of a main domain nothing is told: the account's own events stand for it.
 */
export interface DomainPart {
  /** What it adds to a domain as the API shows it. */
  readonly shown?: (db: Db, domain: DomainRow, now: number) => Partial<Pick<z.infer<typeof Domain>, Shown>>
  /** The kind of the certificate in use; none: the site is not served over TLS. */
  readonly certificate?: (db: Db, domain: DomainRow) => (typeof certificateKinds)[number] | undefined
  /** How the web server shows an app of the account; nothing where there is none of this id. */
  readonly app?: (db: Db, accountId: string, appId: string) => AppSite | undefined
  /** After `domain.created`, or with its account. */
  readonly created?: (ctx: Context, domain: DomainRow) => void
  /** Its name has changed with the main domain's. */
  readonly changed?: (ctx: Context, before: DomainRow, after: DomainRow) => void
  /** What of it stands in the way of deleting a domain. */
  readonly uses?: (db: Db, domain: DomainRow) => Use | readonly Use[]
  /** Before `domain.deleted`: the domain is on its way out, its row goes when its job ends. */
  readonly deleted?: (ctx: Context, domain: DomainRow) => void
  /** Creating it has failed for good: takes back what `created` made outside of what goes with its row; no event. */
  readonly undone?: (runtime: Runtime, domain: DomainRow) => void
}

type Site = HostParts['web']['sites'][number]

/** What answers for an app: its files, its process, or nothing while it does not run. */
export type AppSite = Pick<Site, 'handler'> & Partial<Pick<Site, 'documentRoot' | 'app'>>

type Shown = 'zone_id' | 'certificate' | 'autossl'

declare module '../../runtime/area.ts' {
  interface Area {
    readonly ofDomain?: DomainPart
  }
}

declare module '../../runtime/found.ts' {
  interface Found {
    '/accounts/{id}/domains/{did}': { domain: DomainRow }
    '/accounts/{id}/domains/{did}/redirects/{rid}': { redirect: RedirectRow }
  }
}

/** What hangs on domains, in the order of areas. */
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
