import { findList } from '../../api/names.ts'
import { record } from '../../output/result.ts'
import { defineCommand, schemaOf, type Verb } from '../../cli/verb.ts'
import { oneContactListView } from '../../resources/contact-list.ts'
import { noteNear } from '../near-names.ts'
import { typedList } from './choose.ts'

export const get: Verb = (lists, run) =>
  defineCommand(lists, 'get', 'show one contact list', ['svc lists get VIP', 'svc lists get "Campaign 292" --json'])
    .description('Show one contact list. For its members: svc lists members.')
    .argument('[list]', 'list id or name; asked for on a terminal')
    .action(
      run({ ...oneContactListView, schema: schemaOf('ContactList') }, async (context, typed) => {
        const list = await typedList(context, typed)
        const service = await context.api()
        const found = await findList(service, list, noteNear(context))
        return record(found.list ?? (await service.lists.get(found.id)))
      }),
    )
