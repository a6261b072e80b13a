import { notFound } from '../../../contract/problem.ts'
import { LinkButton } from '../../../web/kit/components/button.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { FactList } from '../../../web/kit/components/description-list.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { ButtonForm, FormCard } from '../../../web/kit/forms/form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'

/** The text of one email, its preview, and what it may contain. */
export function templatePage(view: ViewContext): PageView {
  const { kind, locale } = view.names
  const all: readonly Answered[] = view.data.items
  const same = all.filter((one) => one.kind === kind)
  const found = same.find((one) => one.locale === locale) ?? same.find((one) => one.locale === 'en')
  if (!found) throw notFound('email template')
  const value = { subject: found.subject, body: found.body }
  const isOwn = found.locale === locale && found.source === 'own'
  return {
    title: `${kind} · ${locale}`,
    machine: true,
    actions: <ButtonForm of={view.form('previewEmailTemplate', { only: [] })} />,
    body: (
      <>
        <FormCard of={view.form('setEmailTemplate', { value })} title="Text" />
        <Card title="Placeholders">
          <FactList
            of={found.placeholders.map((one: Answered) => [<Code text={`{{${one.name}}}`} />, t(one.description)])}
          />
        </Card>
        {isOwn ? <ButtonForm of={view.form('deleteEmailTemplate')} /> : null}
      </>
    ),
  }
}

/** An email with sample data. */
export const preview = ({ subject, text }: Answered, next: string) => (
  <div class="card pad stack">
    <h2>{subject}</h2>
    <pre class="scroll">{text}</pre>
    <p class="buttons">
      <LinkButton href={next} label="Back to the text" look="main" />
    </p>
  </div>
)
