import { prose } from './components/cell.tsx'
import { Code } from './components/code.tsx'
import { hrefTo } from './format/href.ts'
import { shapes, type Tone } from './format/status.ts'
import { t } from './i18n/i18n.ts'
import { jobInWords } from './i18n/job-words.ts'
import { worded } from './i18n/label.ts'
import { wordOf } from './i18n/value-words.ts'
import { lookupOwn } from './lookup.ts'
import type { Answered, Looks, ViewContext } from './screen.ts'

const tones: Readonly<Record<string, Tone>> = { error: 'bad', warn: 'warn' }

/** Where each kind of thing is looked at, below its account if it has one. */
const places: Readonly<Record<string, string>> = {
  account: '/',
  app: '/apps/{name}',
  backup: '/backups/{object_id}',
  certificate: '/ssl',
  cron_job: '/cron/{object_id}',
  domain: '/domains/{name}',
  mailbox: '/email/{name}',
  node: '/nodes',
  server: '/host',
  webhook: '/webhooks/{object_id}',
}

/** A job's log, or the page of the notice's object. */
export function placeOf({ object, object_id, name, username }: Answered, { panel, base }: ViewContext): string {
  if (object === 'job') return `/${panel}/jobs/${object_id}`
  const own = panel === 'admin' && username ? hrefTo('/admin', '/accounts/{username}', { username }) : base
  return hrefTo(own, lookupOwn(places, object) ?? '/notices', { name, object_id })
}

/** A notice's severity as a shape; its word is for those who do not see the shape. */
export const Severity = ({ of }: { of: string }) => {
  const tone = lookupOwn(tones, of) ?? 'off'
  return (
    <>
      <i aria-hidden="true" class={tone}>
        {shapes[tone]}
      </i>
      <span class="visually-hidden">{t(wordOf(of) ?? worded(of))}</span>
    </>
  )
}

/** What a notice is about. */
export const Subject = ({ of: { object, name } }: { of: Answered }) =>
  object === 'job' ? <>{t(jobInWords(name))}</> : <Code text={name} />

/** What is said of a thing, whose name stands before it already. */
export const withoutSubject = ({ detail, name }: Answered): string =>
  detail.startsWith(`${name} `) ? detail.slice(name.length + 1) : detail

/** For lists of what needs attention: the sentence is in a separate row below the name. */
export const attentionLooks: Looks = {
  name: {
    long: true,
    cell: (item) => (
      <>
        <Severity of={item.severity} /> <Subject of={item} />
      </>
    ),
  },
}

export const attentionBelow = (item: Answered, view: ViewContext) => (
  <p>
    {prose(withoutSubject(item))} <a href={placeOf(item, view)}>{t('Show')}</a>
  </p>
)
