/** What is said of topics in a private chat. */

const howToBegin =
  'To begin a conversation, open All Messages at the top of this chat and write there: a new topic opens.';

/** Instead of an answer in the main chat. */
export const lobbyHint = `This main chat is for commands only, because /topic is on. ${howToBegin}`;

/** To commands that would begin or bring a conversation there. */
export const notInLobby = `There is no conversation in this main chat, because /topic is on. ${howToBegin}`;

/** When `/new` has given a topic a fresh conversation. */
export const besideHint = 'For a conversation beside this one, write under All Messages: that opens another topic.';

export const boundElsewhere = 'Another topic has that conversation; go on with it there.';

export const notEnabled = [
  'Topics are not switched on for this bot, so Telegram has none to show in this chat.',
  '1. Open @BotFather and choose this bot.',
  '2. Bot Settings → Threads Settings: switch Threaded Mode on, and let users create new threads.',
  'Then send /topic again.',
].join('\n');

export const notForPeople = [
  'Topics are switched on for this bot, but you may not create any.',
  'Open @BotFather, choose this bot, then Bot Settings → Threads Settings, and switch off that users are kept from creating threads.',
  'Then send /topic again.',
].join('\n');

export const howToRestore = `To go on with an earlier one, send /topic <session-id> inside a topic. ${howToBegin}`;

export const topicHelp = [
  '/topic: several conversations in this private chat, one in each topic.',
  '',
  '/topic  switches it on; when it is on, shows what is where',
  '/topic <session-id>  inside a topic: goes on with an earlier conversation there',
  '/topic off  switches it off; topics and conversations stay',
  '/topic help  shows this',
  '',
  howToBegin,
  'The main chat then takes commands only. /new inside a topic gives that topic a fresh conversation.',
].join('\n');

export const switchedOn = `/topic is on: each topic of this chat is a conversation of its own, and the main chat takes commands only. ${howToBegin}`;

export const isOn = `/topic is on: each topic of this chat is a conversation of its own. ${howToBegin}`;

export const switchedOff =
  '/topic is off: this main chat answers again. The topics stay in Telegram, and go on as the conversations that they are.';
