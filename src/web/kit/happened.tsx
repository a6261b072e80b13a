import { type EventType, events } from '../../contract/events.ts'
import { jobInWords } from './job-words.ts'
import { Phrase } from './phrase.tsx'
import type { Answered } from './screen.ts'
import { t } from './text.ts'

/** An event in words: `email.account.created` is "Mailbox info@alice.example was created". */
export const Happened = ({ event: { type, data } }: { event: Answered }) => {
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
