/** The tables of a board, as hermes-agent 0.19.0 writes them. Columns are added to them, never taken away. */

type Columns = Readonly<Record<string, string>>;

export const tables: Readonly<Record<string, { readonly columns: Columns; readonly key?: string }>> = {
  tasks: {
    columns: {
      id: 'TEXT PRIMARY KEY',
      title: 'TEXT NOT NULL',
      body: 'TEXT',
      assignee: 'TEXT',
      status: 'TEXT NOT NULL',
      priority: 'INTEGER DEFAULT 0',
      created_by: 'TEXT',
      created_at: 'INTEGER NOT NULL',
      started_at: 'INTEGER',
      completed_at: 'INTEGER',
      workspace_kind: "TEXT NOT NULL DEFAULT 'scratch'",
      workspace_path: 'TEXT',
      branch_name: 'TEXT',
      project_id: 'TEXT',
      claim_lock: 'TEXT',
      claim_expires: 'INTEGER',
      tenant: 'TEXT',
      result: 'TEXT',
      idempotency_key: 'TEXT',
      consecutive_failures: 'INTEGER NOT NULL DEFAULT 0',
      worker_pid: 'INTEGER',
      last_failure_error: 'TEXT',
      max_runtime_seconds: 'INTEGER',
      last_heartbeat_at: 'INTEGER',
      current_run_id: 'INTEGER',
      workflow_template_id: 'TEXT',
      current_step_key: 'TEXT',
      skills: 'TEXT',
      model_override: 'TEXT',
      max_retries: 'INTEGER',
      goal_mode: 'INTEGER NOT NULL DEFAULT 0',
      goal_max_turns: 'INTEGER',
      session_id: 'TEXT',
      block_kind: 'TEXT',
      block_recurrences: 'INTEGER NOT NULL DEFAULT 0',
    },
  },
  task_links: {
    columns: { parent_id: 'TEXT NOT NULL', child_id: 'TEXT NOT NULL' },
    key: 'parent_id, child_id',
  },
  task_comments: {
    columns: {
      id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
      task_id: 'TEXT NOT NULL',
      author: 'TEXT NOT NULL',
      body: 'TEXT NOT NULL',
      created_at: 'INTEGER NOT NULL',
    },
  },
  task_events: {
    columns: {
      id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
      task_id: 'TEXT NOT NULL',
      run_id: 'INTEGER',
      kind: 'TEXT NOT NULL',
      payload: 'TEXT',
      created_at: 'INTEGER NOT NULL',
    },
  },
  task_runs: {
    columns: {
      id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
      task_id: 'TEXT NOT NULL',
      profile: 'TEXT',
      step_key: 'TEXT',
      status: 'TEXT NOT NULL',
      claim_lock: 'TEXT',
      claim_expires: 'INTEGER',
      worker_pid: 'INTEGER',
      max_runtime_seconds: 'INTEGER',
      last_heartbeat_at: 'INTEGER',
      started_at: 'INTEGER NOT NULL',
      ended_at: 'INTEGER',
      outcome: 'TEXT',
      summary: 'TEXT',
      metadata: 'TEXT',
      error: 'TEXT',
    },
  },
  task_attachments: {
    columns: {
      id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
      task_id: 'TEXT NOT NULL',
      filename: 'TEXT NOT NULL',
      stored_path: 'TEXT NOT NULL',
      content_type: 'TEXT',
      size: 'INTEGER NOT NULL DEFAULT 0',
      uploaded_by: 'TEXT',
      created_at: 'INTEGER NOT NULL',
    },
  },
  kanban_notify_subs: {
    columns: {
      task_id: 'TEXT NOT NULL',
      platform: 'TEXT NOT NULL',
      chat_id: 'TEXT NOT NULL',
      thread_id: "TEXT NOT NULL DEFAULT ''",
      user_id: 'TEXT',
      notifier_profile: 'TEXT',
      created_at: 'INTEGER NOT NULL',
      last_event_id: 'INTEGER NOT NULL DEFAULT 0',
    },
    key: 'task_id, platform, chat_id, thread_id',
  },
};

export const indexes: Readonly<Record<string, string>> = {
  idx_tasks_assignee_status: 'tasks(assignee, status)',
  idx_tasks_status: 'tasks(status)',
  idx_links_child: 'task_links(child_id)',
  idx_links_parent: 'task_links(parent_id)',
  idx_comments_task: 'task_comments(task_id, created_at)',
  idx_events_task: 'task_events(task_id, created_at)',
  idx_runs_task: 'task_runs(task_id, started_at)',
  idx_runs_status: 'task_runs(status)',
  idx_attachments_task: 'task_attachments(task_id, created_at)',
  idx_notify_task: 'kanban_notify_subs(task_id)',
  idx_tasks_tenant: 'tasks(tenant)',
  idx_tasks_idempotency: 'tasks(idempotency_key)',
  idx_tasks_session_id: 'tasks(session_id)',
  idx_events_run: 'task_events(run_id, id)',
};

export function createTable(name: string, { columns, key }: { readonly columns: Columns; readonly key?: string }) {
  const parts = Object.entries(columns).map(([column, declaration]) => `${column} ${declaration}`);
  return `CREATE TABLE IF NOT EXISTS ${name} (${[...parts, ...(key === undefined ? [] : [`PRIMARY KEY (${key})`])].join(', ')})`;
}

/** SQLite adds no column that old rows would have no value for. */
export function canBeAdded(declaration: string): boolean {
  return !/PRIMARY KEY/.test(declaration) && (!/NOT NULL/.test(declaration) || /DEFAULT/.test(declaration));
}
