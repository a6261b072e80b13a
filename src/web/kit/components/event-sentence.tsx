import { type EventType, events } from '../../../contract/events.ts'
import { t } from '../i18n/i18n.ts'
import { jobInWords } from '../i18n/job-words.ts'
import type { Answered } from '../screen.ts'
import { Code } from './code.tsx'

/** A text in which `{name}` stands for an identifier. */
const Phrase = ({ text, name }: { text: string; name: string }) => {
  const [before = '', after = ''] = t(text).split('{name}')
  return (
    <>
      {before}
      <Code text={name} />
      {after}
    </>
  )
}

/** An event in words: `email.account.created` is "Mailbox info@alice.example was created". */
export const EventSentence = ({ event: { type, data } }: { event: Answered }) => {
  if (data.kind !== undefined)
    return <>{t(type === 'job.failed' ? '{job}: failed' : '{job}: done', { job: t(jobInWords(data.kind)) })}</>
  const { summary } = events[type as EventType]
  const [, first, noun, rest] = /^An? (\w)([\w ]*?) ((?:was|became|stopped) .*)$/.exec(summary) ?? []
  const name = nameIn(data)
  if (first === undefined || name === undefined) return <>{t(summary)}</>
  return <Phrase text={`${first.toUpperCase()}${noun} {name} ${rest}`} name={name} />
}

/** The name of an event's object. */
function nameIn({ account, object, details }: Answered): string | undefined {
  if (details.zone !== undefined) return `${details.name} ${details.type} (${details.zone})`
  const { address, domain, login, username, name, domains } = details
  return (
    address ??
    domain ??
    login ??
    username ??
    name ??
    domains?.[0] ??
    (object === 'account' || object === 'reseller' ? account?.username : undefined)
  )
}
