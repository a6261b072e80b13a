import type { Db, Store } from '../../store/open.ts'
import type { Runtime } from '../runtime.ts'
import { getSetting, settingOf } from './settings.ts'

declare module './settings.ts' {
  interface Settings {
    /** Null: `webmail.` and `phpmyadmin.` before the server's own name. */
    webmail_hostname: string | null
    phpmyadmin_hostname: string | null
    front: boolean
  }
}

export const nameSettings = { webmail_hostname: null, phpmyadmin_hostname: null, front: false } as const

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

/** Whether nginx serves the panel at the server's own name. */
export const isFront = (store: Store): boolean => settingOf(store, 'front') ?? nameSettings.front

/** The API's URL for browsers. */
export const publicUrl = ({ store, hostname, baseUrl }: Pick<Runtime, 'store' | 'hostname' | 'baseUrl'>): string =>
  isFront(store) ? `https://${hostname.toLowerCase()}/api/v1` : baseUrl
