import { Chip } from '../../../web/kit/components/chip.tsx'
import { Code } from '../../../web/kit/components/code.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import { FieldBox } from '../../../web/kit/forms/fields.tsx'
import { ButtonForm, FormError, Hidden } from '../../../web/kit/forms/form.tsx'
import { ownSignIn } from '../../../web/kit/forms/own-sign-in.ts'
import { PasskeyButton } from '../../../web/kit/forms/passkey.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { ItemTable } from '../../../web/kit/lists/list.tsx'
import type { Answered, Looks, ViewContext } from '../../../web/kit/screen.ts'

const columns = ['name', 'rp_id', 'created_at', 'last_used_at']

const Where = ({ of: { rp_id, on_this_host, synced } }: { of: Answered }) => (
  <>
    <bdi>{rp_id}</bdi> {on_this_host ? null : <Chip status="off" word="Another address" />}
    {synced ? <Chip status="ok" word="Synced" /> : null}
  </>
)

const looks: Looks = {
  name: { cell: ({ name }) => <bdi>{name}</bdi> },
  rp_id: { label: 'Works at', cell: (passkey) => <Where of={passkey} /> },
  created_at: { label: 'Added' },
}

/** The signed-in user's passkeys, and where they work. */
export const Passkeys = ({ view }: { view: ViewContext }) => {
  const { startPasskey, addPasskey } = ownSignIn[view.panel]
  const { items = [], rp_id: host } = view.sections['passkeys'] ?? {}
  return (
    <Card title="Passkeys">
      <div class="pad stack">
        <p>
          {t('A passkey replaces the password: you confirm with the fingerprint, face or PIN of a device.')}{' '}
          {t('It cannot be guessed, and does not work on a false page.')}
        </p>
        {host === undefined ? (
          <p class="soft">
            {t(
              'Passkeys do not work at this address: open the panel by its host name, with a certificate that browsers trust.',
            )}
          </p>
        ) : (
          <ButtonForm of={view.form(startPasskey)}>
            <FormError of={view.form(addPasskey)?.refusal} />
          </ButtonForm>
        )}
      </div>
      {items.length === 0 ? null : (
        <ItemTable
          view={view}
          caption="Passkeys"
          items={items}
          columns={columns}
          looks={looks}
          below={(passkey) => <Rename of={passkey} view={view} />}
          action={({ id }) => <ButtonForm of={view.form(ownSignIn[view.panel].deletePasskey, { item: id })} />}
        />
      )}
    </Card>
  )
}

const Rename = ({ of: { id, name }, view }: { of: Answered; view: ViewContext }) => {
  const form = view.form(ownSignIn[view.panel].renamePasskey, { item: id, value: { name } })
  if (!form) return null
  return (
    <details class="more" open={form.refusal !== undefined}>
      <summary>{t('Rename')}</summary>
      <ButtonForm of={form}>
        {form.fields.map((field) => (
          <FieldBox field={field} form={id} />
        ))}
      </ButtonForm>
    </details>
  )
}

/** New codes for the second factor; the old ones end. */
export const RecoveryCodes = ({ view }: { view: ViewContext }) =>
  view.session.two_factor_enabled ? (
    <Card title="Recovery codes">
      <div class="pad stack">
        <p>{t('If you lose your device, each code signs you in once. New codes replace the old ones.')}</p>
        <ButtonForm of={view.form(ownSignIn[view.panel].renewCodes)} />
      </div>
    </Card>
  ) : null

/** Names a new passkey and asks the browser for it. */
export const newPasskey = (options: Answered, _next: string, view: ViewContext) => {
  const form = view.form(ownSignIn[view.panel].addPasskey)
  if (!form) return null
  return (
    <form method="post" action={form.action} class="fields card pad" id={`form-${form.op}`} novalidate data-once="">
      <Hidden of={form} />
      <p>
        {t('It will work at this address:')} <Code text={options.rp.id} />
      </p>
      {form.fields.map((field) => (
        <FieldBox field={field} form={form.op} />
      ))}
      <p class="buttons">
        <PasskeyButton label="Create the passkey" field="credential" options={options} look="main" />
      </p>
      <noscript>
        <p>{t('Passkeys need JavaScript.')}</p>
      </noscript>
      <p>
        <a href={view.path}>{t('Cancel')}</a>
      </p>
    </form>
  )
}
