import type { OperationId } from '../../../contract/index.ts'
import { LinkButton } from '../../../web/kit/button.tsx'
import { FileForm } from '../../../web/kit/file-form.tsx'
import { FormCard } from '../../../web/kit/form.tsx'
import { queryOf } from '../../../web/kit/href.ts'
import { Card } from '../../../web/kit/page.tsx'
import type { FormModel, Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

interface Own {
  readonly save: OperationId
  readonly set: OperationId
  readonly remove: OperationId
  /** The reseller; root's brand is the server's. */
  readonly about: { readonly item?: string }
}

const ownOf = ({ session: { reseller } }: Visit): Own =>
  reseller
    ? { save: 'updateReseller', set: 'setBrandLogo', remove: 'deleteBrandLogo', about: { item: reseller.id } }
    : { save: 'updateSettings', set: 'setServerLogo', remove: 'deleteServerLogo', about: {} }

/** The brand that customers see: name, colour, help, and logo. */
export function brandPage(visit: Visit): Shown {
  const { save, set, remove, about } = ownOf(visit)
  const value = { brand: visit.data, nameservers: visit.session.reseller?.nameservers }
  const logo = visit.form(set, about)
  return {
    title: t('Brand'),
    lead: t('How the pages look to your customers, and to you.'),
    body: (
      <>
        <FormCard of={visit.form(save, { ...about, value })} />
        {logo ? <Logo visit={visit} form={logo} remove={remove} /> : null}
      </>
    ),
  }
}

const Logo = ({ visit, form, remove }: { visit: Visit; form: FormModel; remove: OperationId }) => (
  <Card title="Logo">
    {visit.data.logo ? (
      <p class="pad">
        <img src={`/assets/brand/${visit.data.logo.sha256}`} alt={t('The logo now')} height={64} />
      </p>
    ) : null}
    <FileForm of={form} accept="image/png,image/webp" help="PNG or WebP, at most 512 pixels wide and high, and 32 KiB.">
      {visit.data.logo ? (
        <LinkButton
          href={visit.path + queryOf({ do: remove, _item: form.item })}
          label="Delete the logo"
          look="danger"
          asks
        />
      ) : null}
    </FileForm>
  </Card>
)
