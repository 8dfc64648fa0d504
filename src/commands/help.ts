import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'
import { closest } from '../words.ts'
import { usageError } from '../errors.ts'
import { text, type View } from '../output/result.ts'
import type { Run } from '../cli/verb.ts'
import { helpOf } from '../cli/help/page.ts'
import { examples } from '../cli/options.ts'

const noView: View<never> = { columns: [], fields: [] }

export function help(program: Command, run: Run): void {
  program
    .command('help')
    .summary('help on a command or a topic, the manual, the reference')
    .description('Print the help of a command or a topic, the manual page, or the whole reference.')
    .argument('[words...]', 'a command, such as lists add-contacts, or a topic')
    .option('--man', 'print the manual page, as roff')
    .option('--markdown', 'print the reference of all commands and topics, as Markdown')
    .addHelpText(
      'after',
      `
Topics: environment, output, exit-codes, id-files, bulk, configuration, signing,
scripting.
${examples('svc help lists add-contacts', 'svc help exit-codes', 'svc help --man > svc.1 && man ./svc.1')}`,
    )
    .action(
      run(
        noView,
        async (_tools, words, options) => {
          if (options.man === true || options.markdown === true) {
            if (options.man === true && options.markdown === true)
              throw usageError('--man and --markdown exclude each other')
            if (words.length > 0) throw usageError('--man and --markdown print everything; they take no words')
            const { describe } = await import('../cli/help/tree.ts')
            const { markdown } = await import('../cli/help/markdown.ts')
            const { manualPage } = await import('../cli/help/man.ts')
            const { version } = await import('../version.ts')
            const described = describe(program)
            return text(options.man === true ? manualPage(described, version) : markdown(described))
          }
          return text(await helpOn(program, words))
        },
        { plain: true },
      ),
    )
}

async function helpOn(program: CommandUnknownOpts, words: readonly string[]): Promise<string> {
  let command = program
  for (const [position, word] of words.entries()) {
    const sub = command.commands.find((each) => each.name() === word)
    if (sub === undefined) return topicOn(program, words, position)
    command = sub
  }
  return helpOf(command)
}

/** The topic, or an error that names what there is. `position` is the first word that is no command. */
async function topicOn(program: CommandUnknownOpts, words: readonly string[], position: number): Promise<string> {
  const { topics, topicText } = await import('../cli/help/topics.ts')
  const topic = words.length === 1 ? topics.find(({ name }) => name === words[0]) : undefined
  if (topic !== undefined) return topicText(topic)
  const { pathOf, readCommandLine, treeOf } = await import('../cli/argv.ts')
  const { meantCommand } = await import('../cli/usage.ts')
  const word = words[position] ?? ''
  const whole = treeOf(program)
  const { commands } = readCommandLine(whole, words.slice(0, position))
  const names = topics.map(({ name }) => name)
  const near = position === 0 ? closest(word, names) : undefined
  const meant =
    near === undefined ? await meantCommand(commands, word, () => Promise.resolve(whole)) : `svc help ${near}`
  throw usageError(
    `there is no command or topic "${words.slice(0, position + 1).join(' ')}"`,
    [
      ...(meant === undefined ? [] : [`did you mean ${meant}?`]),
      position === 0 ? `topics: ${names.join(', ')}\ncommands: svc --help` : `see: ${pathOf(commands)} --help`,
    ].join('\n'),
  )
}
