import type { OperationId } from '../../../contract/index.ts'
import { LinkButton } from '../../../web/kit/components/button.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { queryOf } from '../../../web/kit/format/href.ts'
import { FileForm } from '../../../web/kit/forms/file-form.tsx'
import { FormCard } from '../../../web/kit/forms/form.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import type { FormModel, PageView, ViewContext } from '../../../web/kit/screen.ts'

interface Own {
  readonly save: OperationId
  readonly set: OperationId
  readonly remove: OperationId
  /** The reseller; root's brand is the server's. */
  readonly about: { readonly item?: string }
}

const ownOf = ({ session: { reseller } }: ViewContext): Own =>
  reseller
    ? { save: 'updateReseller', set: 'setBrandLogo', remove: 'deleteBrandLogo', about: { item: reseller.id } }
    : { save: 'updateSettings', set: 'setServerLogo', remove: 'deleteServerLogo', about: {} }

/** The brand that customers see: name, colour, help, and logo. */
export function brandPage(view: ViewContext): PageView {
  const { save, set, remove, about } = ownOf(view)
  const value = { brand: view.data, nameservers: view.session.reseller?.nameservers }
  const logo = view.form(set, about)
  return {
    title: t('Brand'),
    lead: t('How the pages look to your customers, and to you.'),
    body: (
      <>
        <FormCard of={view.form(save, { ...about, value })} />
        {logo ? <Logo view={view} form={logo} remove={remove} /> : null}
      </>
    ),
  }
}

const Logo = ({ view, form, remove }: { view: ViewContext; form: FormModel; remove: OperationId }) => (
  <Card title="Logo">
    {view.data.logo ? (
      <p class="pad">
        <img src={`/assets/brand/${view.data.logo.sha256}`} alt={t('The logo now')} height={64} />
      </p>
    ) : null}
    <FileForm of={form} accept="image/png,image/webp" help="PNG or WebP, at most 512 pixels wide and high, and 32 KiB.">
      {view.data.logo ? (
        <LinkButton
          href={view.path + queryOf({ do: remove, _item: form.item })}
          label="Delete the logo"
          look="danger"
          asks
        />
      ) : null}
    </FileForm>
  </Card>
)
