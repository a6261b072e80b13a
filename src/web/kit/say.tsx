import type { Said } from '../../shared/say.ts'
import { t } from './text.ts'

interface Props {
  readonly said: Said
  readonly shown: 'panel' | 'curl'
  readonly needs: { readonly areas?: readonly string[]; readonly write: boolean; readonly session: boolean }
  readonly panelHref?: string
  readonly curlHref?: string
  readonly dataHref?: string
}

/** The same by command: an ordinary part of every page. */
export const SayBar = ({ said, shown, needs, panelHref, curlHref, dataHref }: Props) => (
  <aside class="say" id="say" aria-label={t('The same by command')}>
    <span class="tabs">
      {panelHref === undefined ? null : <Way name="panel" href={panelHref} isShown={shown === 'panel'} />}{' '}
      {curlHref === undefined ? null : <Way name="curl" href={curlHref} isShown={shown === 'curl'} />}
    </span>
    <span class="line" tabindex={0}>
      <i aria-hidden="true">$ </i>
      <bdi dir="ltr" id="say-line">
        {said.line}
      </bdi>
    </span>
    {said.data === undefined || dataHref === undefined ? null : (
      <a href={dataHref} download="changes.json">
        changes.json
      </a>
    )}
    {said.note === undefined ? null : <span>{t(said.note)}</span>}
    <span class="needs">{needsText(needs)}</span>
    {said.copyable ? (
      <button type="button" data-copy="#say-line" data-done={t('Copied')} hidden>
        {t('Copy')}
      </button>
    ) : null}
  </aside>
)

const Way = ({ name, href, isShown }: { name: string; href: string; isShown: boolean }) =>
  isShown ? (
    <b aria-current="true">{name}</b>
  ) : (
    <a href={href} rel="nofollow">
      {name}
    </a>
  )

function needsText({ areas, write, session }: Props['needs']): string {
  if (session) return t('needs a session')
  const right = write ? t('write') : t('read')
  return areas === undefined ? '' : t('token area: {area}, {right}', { area: areas.join(', '), right })
}
