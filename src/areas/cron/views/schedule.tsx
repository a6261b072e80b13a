import { describeSchedule } from '../../../contract/schedule/describe.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { sentence } from '../../../web/kit/i18n/label.ts'
import { formPage } from '../../../web/kit/pages/form-page.tsx'
import { objectPage } from '../../../web/kit/pages/object.tsx'
import type { Answered, Looks, PageView, ViewContext } from '../../../web/kit/screen.ts'

/** The API describes a schedule in English. */
const inWords = ({ schedule }: Answered): string => sentence(describeSchedule(schedule, t))

export const looks: Looks = { schedule: { cell: (job) => inWords(job), label: 'Schedule' } }

export const cronJob = (view: ViewContext): PageView => ({ ...objectPage(view), lead: inWords(view.data) })

/** Schedules go by the clock of this process. */
const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export const newCronJob = (view: ViewContext): PageView => ({
  ...formPage(view),
  lead: t("The server's time zone is {zone}.", { zone: timeZone() }),
})
