import { findList } from '../../api/names.ts'
import { record } from '../../output/result.ts'
import type { Verb } from '../../cli/verb.ts'
import { oneContactListView } from '../../resources/contact-list.ts'
import { examples } from '../../cli/options.ts'
import { noteNear } from '../near-names.ts'
import { typedList } from './choose.ts'

export const get: Verb = (lists, run) =>
  lists
    .command('get')
    .summary('show one contact list')
    .description('Show one contact list. For its members: svc lists members.')
    .argument('[list]', 'list id or name; asked for on a terminal')
    .addHelpText('after', examples('svc lists get VIP', 'svc lists get "Campaign 292" --json'))
    .action(
      run(
        { ...oneContactListView, schema: async () => (await import('../../api/schemas.ts')).ContactList },
        async (context, typed) => {
          const list = await typedList(context, typed)
          const service = await context.api()
          const found = await findList(service, list, noteNear(context))
          return record(found.list ?? (await service.lists.get(found.id)))
        },
      ),
    )
