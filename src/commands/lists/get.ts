import { record } from '../../output/result.ts'
import { defineCommand, schemaOf, type Verb } from '../../cli/verb.ts'
import { oneContactListView } from '../../resources/contact-list.ts'

export const get: Verb = (lists, run) =>
  defineCommand(lists, 'get', 'show one contact list', ['svc lists get VIP', 'svc lists get "Campaign 292" --json'])
    .description('Show one contact list. For its members: svc lists members.')
    .argument('[list]', 'list id or name; asked for on a terminal')
    .action(
      run({ ...oneContactListView, schema: schemaOf('ContactList') }, async (context, typed) => {
        const { foundList } = await import('./choose.ts')
        const { id, list } = await foundList(context, typed)
        return record(list ?? (await (await context.api()).lists.get(id)))
      }),
    )
