import type { Context } from '../../../cli/context.ts'

/** The reader of values, with phone numbers as they are written in `--country`. Throws exit 2 for a country that does not exist. */
export async function valuesReader(context: Context) {
  const [{ phoneReader }, { valueReader }, { settings }] = await Promise.all([
    import('../phone.ts'),
    import('../identity.ts'),
    context.configuration(),
  ])
  return valueReader(phoneReader(settings.country.value))
}
