/** Bounds what a long conversation keeps in memory: blocks that scrolled away belong to the terminal alone. */
import type { Container, TuiMainScreen } from '@earendil-works/pi-tui';

/** Blocks that are kept for a redraw, which a change of the terminal's size needs. */
const keptBlocks = 300;
/** Looked at only every so many blocks. */
const everyBlocks = 50;

/** Takes the oldest blocks out of the transcript, the first part of the screen. Nothing changes in the terminal. */
export function commitScrolledBlocks(tui: TuiMainScreen, transcript: Container): void {
  const count = transcript.children.length;
  if (count <= keptBlocks || count % everyBlocks !== 0) return;
  // What is known of the screen must be what the blocks look like now.
  tui.renderNow();
  const state = tui.captureRenderState();
  let lines = 0;
  let blocks = 0;
  for (const block of transcript.children.slice(0, count - keptBlocks)) {
    const height = block.render(state.previousWidth).length;
    if (lines + height > state.previousViewportTop) break;
    lines += height;
    blocks += 1;
  }
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
