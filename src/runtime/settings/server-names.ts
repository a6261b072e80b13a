import type { Db, Store } from '../../store/open.ts'
import type { Runtime } from '../runtime.ts'
import { getSetting, settingOf } from './settings.ts'

declare module './settings.ts' {
  interface Settings {
    /** Null: `webmail.` and `phpmyadmin.` before the server's own name. */
    webmail_hostname: string | null
    phpmyadmin_hostname: string | null
    front: boolean
    /** The name below which sites have previews; null: they have none. */
    preview_hostname: string | null
    /** Null: that of the certificate authority's account. */
    server_contact_email: string | null
  }
}

export const nameSettings = {
  webmail_hostname: null,
  phpmyadmin_hostname: null,
  preview_hostname: null,
  server_contact_email: null,
  front: false,
} as const

/** Names reserved for the server: its own, and those of programs that must not share it. */
export interface ServerNames {
  readonly panel: string
  readonly webmail: string
  readonly phpmyadmin: string
}

export function serverNames(db: Db, hostname: string): ServerNames {
  const panel = hostname.toLowerCase()
  return {
    panel,
    webmail: getSetting(db, 'webmail_hostname') ?? `webmail.${panel}`,
    phpmyadmin: getSetting(db, 'phpmyadmin_hostname') ?? `phpmyadmin.${panel}`,
  }
}

/** The name below which sites have previews. */
export const previewHostname = (db: Db): string | undefined => getSetting(db, 'preview_hostname') ?? undefined

/** Whether nginx serves the panel at the server's own name. */
export const isFront = (store: Store): boolean => settingOf(store, 'front') ?? nameSettings.front

/** The API's URL for browsers. */
export const publicUrl = ({ store, hostname, baseUrl }: Pick<Runtime, 'store' | 'hostname' | 'baseUrl'>): string =>
  isFront(store) ? `https://${hostname.toLowerCase()}/api/v1` : baseUrl
