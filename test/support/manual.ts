/** All helps and topics as Markdown and as roff, for `npm run docs`. */
import { topics } from '../../src/commands/help.ts'
import { version } from '../../src/host.ts'
import { createWorld } from './svc.ts'
import { allPages } from './tree.ts'

const { svc } = createWorld()
const helps: { path: string; help: string }[] = []
for (const { path } of allPages) {
  const { stdout } = await svc(`${path.replace(/^svc ?/, '')} --help`)
  helps.push({ path, help: stdout.trimEnd() })
}

/** The reference. The help of svc itself has no heading of its own. */
export function markdown(): string {
  const chapters = helps.map(({ path, help }) => {
    const heading = `${'#'.repeat(path.split(' ').length)} ${path}\n\n`
    return `${path === 'svc' ? '' : heading}\`\`\`text\n${help}\n\`\`\``
  })
  const links = Object.entries(topics).map(([name, page]) => {
    const [, title = ''] = /^# (.*)$/m.exec(page) ?? []
    return `- [\`svc help ${name}\`](topics/${name}.md): ${title}`
  })
  return ['# The commands of svc', ...chapters, '# Topics', `${links.join('\n')}\n`].join('\n\n')
}

export function manualPage(): string {
  const [, sentence = ''] = helps[0]?.help.split('\n\n') ?? []
  return [
    `.TH SVC 1 "" "svc ${version}" "User Commands"`,
    `.SH NAME\nsvc \\- ${roff(sentence)}`,
    '.SH COMMANDS',
    ...helps.map(({ path, help }) => `.SS "${roff(path)}"\n${block(help)}`),
    ...Object.entries(topics).map(
      ([name, page]) => `.SH "${roff(name.toUpperCase())}"\n${block(page.trimEnd())}`,
    ),
    '',
  ].join('\n')
}

/** Lines as they are. A line that begins with a dot would be a request. */
const block = (text: string) => `.nf\n${roff(text).replaceAll(/^\./gm, '\\&.')}\n.fi`

/** Text as roff prints it: backslashes, and signs that can be copied. */
const roff = (text: string) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('"', '\\(dq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
