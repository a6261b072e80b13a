import { t } from '../i18n/i18n.ts'
import { Icon, type IconName } from './icon.tsx'

export type ButtonStyle = 'main' | 'danger'

interface LinkProps {
  readonly href: string
  readonly label: string
  readonly look?: ButtonStyle
  readonly icon?: IconName
  /** Whether it asks for confirmation. */
  readonly asks?: boolean
  readonly rel?: string
  readonly download?: ''
}

/** A link styled as a button. */
export const LinkButton = ({ href, label, look, icon, asks, ...more }: LinkProps) => (
  <a class={look ? `button ${look}` : 'button'} href={href} {...more}>
    {icon ? <Icon name={icon} /> : null}
    {icon ? ' ' : ''}
    {t(label)}
    {asks ? '…' : ''}
  </a>
)

/** Copies the content of the element with that id. */
export const CopyButton = ({ from }: { from: string }) => (
  <button type="button" data-copy={`#${from}`} data-done={t('Copied')} hidden>
    {t('Copy')}
  </button>
)

interface SubmitProps {
  readonly label: string
  /** Values for the label's placeholders. */
  readonly values?: Readonly<Record<string, string | number>> | undefined
  readonly look?: ButtonStyle | undefined
  readonly name?: string
  readonly value?: string
  readonly formaction?: string
  /** Disabled until the requested name is typed. */
  readonly 'data-confirmed'?: '' | undefined
}

/** Submits its form. */
export const Submit = ({ label, values, look, ...more }: SubmitProps) => (
  <button type="submit" class={look} {...more}>
    {t(label, values)}
  </button>
)
