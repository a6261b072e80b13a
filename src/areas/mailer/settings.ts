import { getSetting } from '../../runtime/settings/settings.ts'
import type { Db } from '../../store/open.ts'

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    /** Root's own address. */
    contact_email: string | null
    /** Null: `panel@` and the server's name. */
    mail_from: string | null
    mail_max_per_hour: number
  }
}

export const settings = { contact_email: null, mail_from: null, mail_max_per_hour: 2000 } as const

export const maxPerHour = (db: Db): number => getSetting(db, 'mail_max_per_hour') ?? settings.mail_max_per_hour
