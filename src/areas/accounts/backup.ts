import type { BackupPart } from './part.ts'

/** What its owner can change; never who it is, whose, with which limits or passwords. */
export const backup: BackupPart = {
  part: 'config',
  save: (_runtime, { contact_email, theme, locale, mail_routing, spam_box, spam_filter }) => ({
    data: { contact_email, theme, locale, mail_routing, spam_box, spam_filter },
  }),
}
