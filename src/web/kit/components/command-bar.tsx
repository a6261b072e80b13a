import type { CommandText } from '../../../shared/command-line.ts'
import { t } from '../i18n/i18n.ts'
import { CopyButton } from './button.tsx'

/** What a token needs to do the same as a screen. */
export interface Needs {
  /** All areas of any one of these sets; absent if every token may. */
  readonly areas?: readonly (readonly string[])[]
  readonly write: boolean
  /** No token can: only a session. */
  readonly session: boolean
  /** The form to create such a token. */
  readonly href?: string
}

interface Props {
  /** Undefined if no command does it. */
  readonly command: CommandText | undefined
  readonly format: 'panel' | 'curl'
  readonly needs: Needs
  readonly panelHref?: string
  readonly curlHref?: string
  readonly dataHref?: string
  /** The operation whose form posts what no address can hold. */
  readonly dataForm?: string
}

/** The equivalent command, shown on every page. */
export const CommandBar = ({ command, format, needs, panelHref, curlHref, dataHref, dataForm }: Props) => (
  <aside class="say" id="say" aria-label={t('Command line')}>
    <span class="tabs">
      {panelHref === undefined ? null : <FormatLink name="panel" href={panelHref} isSelected={format === 'panel'} />}{' '}
      {curlHref === undefined ? null : <FormatLink name="curl" href={curlHref} isSelected={format === 'curl'} />}
    </span>
    {command ? <Line command={command} /> : <OfSession />}
    {command?.data === undefined ? null : <File href={dataHref} form={dataForm} />}
    {command?.note === undefined ? null : <span>{t(command.note)}</span>}
    {command ? <span class="needs">{needsOf(needs)}</span> : null}
    {command?.copyable ? <CopyButton from="say-line" /> : null}
  </aside>
)

const Line = ({ command }: { command: CommandText }) => (
  <span class="line" tabindex={0}>
    <i aria-hidden="true">$ </i>
    <bdi dir="ltr" id="say-line">
      {command.line}
    </bdi>
  </span>
)

const OfSession = () => (
  <span class="line" tabindex={0}>
    {t('This affects your session only; there is no command for it.')}
  </span>
)

/** Generated from the address or the form; never stored. */
const File = ({ href, form }: { href: string | undefined; form: string | undefined }) =>
  form === undefined ? (
    <a href={href} download="changes.json">
      changes.json
    </a>
  ) : (
    <button type="submit" form={`form-${form}`} formaction="?say=data" data-file="">
      changes.json
    </button>
  )

const FormatLink = ({ name, href, isSelected }: { name: string; href: string; isSelected: boolean }) =>
  isSelected ? (
    <b aria-current="true">{name}</b>
  ) : (
    <a href={href} rel="nofollow">
      {name}
    </a>
  )

function needsOf({ areas, write, session, href }: Needs) {
  if (session) return t('needs a session')
  if (areas === undefined) return ''
  const right = write ? t('write') : t('read')
  const text = t('token area: {area}, {right}', {
    area: areas.length > MAX_LISTED_SCOPES ? t('any') : areas.map((set) => set.join(' + ')).join(', '),
    right,
  })
  return href === undefined ? text : <a href={href}>{text}</a>
}

const MAX_LISTED_SCOPES = 3
