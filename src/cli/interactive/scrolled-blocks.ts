/** Bounds what a long conversation keeps in memory: blocks that scrolled away belong to the terminal alone. */
import type { Container } from '@earendil-works/pi-tui';
import type { ChatTui } from './chat-tui.ts';

/** Looked at only every so many blocks. */
const everyBlocks = 20;

/**
 * Takes the oldest blocks out of the transcript, the first part of the screen. Nothing changes in the terminal.
 * `keptLines` are kept for a redraw, which a change of the terminal's size needs; those on the screen always are.
 */
export function commitScrolledBlocks(tui: ChatTui, transcript: Container, keptLines: number): void {
  if (transcript.children.length % everyBlocks !== 0) return;
  // What is known of the screen must be what the blocks look like now.
  tui.renderNow();
  const state = tui.captureRenderState();
  const surplus = Math.min(state.previousLines.length - keptLines, state.previousViewportTop);
  let lines = 0;
  let blocks = 0;
  for (const block of transcript.children) {
    const height = block.render(state.previousWidth).length;
    if (lines + height > surplus) break;
    lines += height;
    blocks += 1;
  }
  if (lines === 0) return;
  tui.forget(transcript.children.slice(0, blocks).flatMap((block) => block.render(state.previousWidth)));
  transcript.children.splice(0, blocks);
  tui.restoreRenderState({
    ...state,
    previousLines: state.previousLines.slice(lines),
    cursorRow: state.cursorRow - lines,
    hardwareCursorRow: state.hardwareCursorRow - lines,
    maxLinesRendered: state.maxLinesRendered - lines,
    previousViewportTop: state.previousViewportTop - lines,
  });
}
