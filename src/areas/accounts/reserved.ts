import { getDomain } from 'tldts'
import { invalid } from '../../contract/problem.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { getSetting, type Settings } from '../../runtime/settings/settings.ts'
import type { Db } from '../../store/open.ts'

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    reserved_domains: readonly string[]
  }
}

/** Large providers of mail and sign-in. */
const names = new Set(
  `gmail.com googlemail.com google.com outlook.com hotmail.com live.com msn.com microsoft.com office.com office365.com
  microsoftonline.com onmicrosoft.com windows.com yahoo.com ymail.com rocketmail.com yahoodns.net icloud.com me.com
  mac.com apple.com aol.com aim.com verizon.net comcast.net att.net sbcglobal.net bellsouth.net cox.net charter.net
  web.de t-online.de freenet.de arcor.de 1und1.de ionos.de ionos.com mailbox.org posteo.de posteo.net tutanota.com
  tutanota.de tuta.com tuta.io proton.me protonmail.com protonmail.ch pm.me fastmail.com fastmail.fm hey.com zoho.com
  zohomail.com mail.com email.com mail.ru inbox.ru list.ru bk.ru yandex.ru yandex.com ya.ru rambler.ru qq.com
  foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com aliyun.com naver.com hanmail.net daum.net
  rediffmail.com orange.fr wanadoo.fr free.fr laposte.net sfr.fr neuf.fr libero.it virgilio.it tiscali.it alice.it
  tin.it seznam.cz centrum.cz wp.pl o2.pl onet.pl interia.pl bluewin.ch btinternet.com sky.com virginmedia.com
  ntlworld.com talktalk.net xtra.co.nz bigpond.com uol.com.br bol.com.br terra.com.br facebook.com instagram.com
  whatsapp.com meta.com twitter.com x.com linkedin.com github.com gitlab.com amazon.com amazonaws.com amazonses.com
  paypal.com stripe.com cloudflare.com letsencrypt.org okta.com auth0.com openai.com slack.com dropbox.com netflix.com
  sendgrid.net mailgun.org mailchimp.com debian.org`.split(/\s+/),
)

/** Providers with one name under many endings: `yahoo.co.uk` too. */
const brands = new Set(['gmail', 'gmx', 'google', 'googlemail', 'hotmail', 'icloud', 'live', 'outlook', 'yahoo'])

const isBrand = (name: string): boolean => brands.has((getDomain(name) ?? '').split('.')[0]!)

/** The name and its parents, longest first. */
function upwards(name: string): string[] {
  const labels = name.split('.')
  return labels.map((_, index) => labels.slice(index).join('.'))
}

/** Whether a name is one of those that only root can add, or below one. */
export function isListed(db: Db, name: string): boolean {
  const all = upwards(name)
  if (all.at(-1) === 'arpa' || isBrand(name) || all.some((one) => names.has(one))) return true
  const more = getSetting(db, 'reserved_domains') ?? []
  return all.some((one) => more.includes(one))
}

/** Whether the caller cannot add a name. */
export const isReserved = ({ actor, db }: Pick<Context, 'actor' | 'db'>, name: string): boolean =>
  !isRoot(actor) && isListed(db, name)

export const reservedError = 'is reserved; only root can add it'

/** They are compared as they are, so they must be in ASCII form. */
export function refuseSettings({ reserved_domains = [] }: Partial<Settings>): void {
  const wrong = reserved_domains.find((name) => !label.test(name))
  if (wrong !== undefined)
    throw invalid('reserved_domains', `${wrong} is not a domain name in lower case and ASCII form`)
}

const label = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
