import { limitPrivileges } from '../../../contract/packages.ts'
import { Cell, isLimit } from '../../../web/kit/components/cell.tsx'
import { FactList } from '../../../web/kit/components/description-list.tsx'
import { Card } from '../../../web/kit/components/page.tsx'
import type { FormField } from '../../../web/kit/forms/field.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { headOf } from '../../../web/kit/i18n/label.ts'
import { formPage } from '../../../web/kit/pages/form-page.tsx'
import { Changes, Endings, factsWithLimits, objectPage } from '../../../web/kit/pages/object.tsx'
import { holds } from '../../../web/kit/privileges.ts'
import type { FormModel, PageView, ViewContext } from '../../../web/kit/screen.ts'

const hidden = new Set(['id', 'feature_list_id', 'owner_id'])

/** The form of a new package. */
export const newPackagePage = (view: ViewContext): PageView => ({
  ...formPage(withOwnLimits(view)),
  lead: t('A limit that is left empty is unlimited, unless its hint names a default.'),
})

/** A package: its limits first, then everything else that it sets. */
export function packagePage(context: ViewContext): PageView {
  const view = withOwnLimits(context)
  const facts = factsWithLimits(view).filter(([field]) => !hidden.has(field))
  const limits = facts.filter(([field]) => isLimit(field))
  const others = facts.filter(([field]) => !isLimit(field))
  const list = (of: readonly (readonly [string, unknown])[]) => (
    <FactList
      of={of.map(([field, value]) => [t(headOf(field)), <Cell field={field} value={value} now={view.now} />])}
    />
  )
  const isOwn = view.session.is_root === true || view.data.owner === view.session.username
  return {
    ...objectPage(view),
    ...(!isOwn && { lead: t('This package belongs to your provider: you can use it, but not change it.') }),
    body: (
      <>
        <div class="two">
          <Card title="Limits">{list(limits)}</Card>
          <Card title="Details">{list(others)}</Card>
        </div>
        {isOwn ? <Changes view={view} /> : null}
        {isOwn ? <Endings view={view} /> : null}
      </>
    ),
  }
}

/** Its forms ask a reseller for what its privileges leave open. */
const withOwnLimits = (view: ViewContext): ViewContext => ({
  ...view,
  form: (op, options) => {
    const form = view.form(op, options)
    return form && ownLimits(view, form)
  },
})

const ownLimits = ({ session }: ViewContext, form: FormModel): FormModel => {
  const isFree = (field: FormField): boolean =>
    ruleOf(field)?.anyOf.some((privilege) => holds(session, privilege)) ?? true
  return {
    ...form,
    fields: form.fields.map((field) => (isFree(field) ? field : limited(field, form.op === 'createPackage'))),
  }
}

const ruleOf = ({ name }: FormField) =>
  Object.hasOwn(limitPrivileges, name) ? limitPrivileges[name as keyof typeof limitPrivileges] : undefined

const helpOf = {
  number: 'A number: your privileges do not include unlimited.',
  zero: 'Only 0: your privileges do not include more.',
  unset: 'Empty: your privileges do not include a value.',
}

/** A field that the privileges narrow: to any number, to 0, or to nothing at all. */
function limited(field: FormField, isNew: boolean): FormField {
  const { without } = ruleOf(field)!
  if (isNew && without !== 'number')
    return { ...field, control: { kind: 'hidden', value: without === 'zero' ? '0' : '' } }
  const narrowed = { ...field, help: helpOf[without] }
  if (without !== 'number' || field.control.kind !== 'text') return narrowed
  const { none: _, ...control } = field.control
  return { ...narrowed, required: true, primary: true, control }
}
