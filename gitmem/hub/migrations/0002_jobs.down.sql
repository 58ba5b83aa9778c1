DROP INDEX hub.memory_fact;
DROP TABLE hub.spent, hub.verification;
ALTER TABLE hub.repository DROP code, DROP code_branch, DROP platform, DROP budget_s;
DROP FUNCTION public.procrastinate_fetch_job_v2;
DROP TABLE
  public.procrastinate_workers,
  public.procrastinate_jobs,
  public.procrastinate_periodic_defers,
  public.procrastinate_events;
DROP FUNCTION
  public.procrastinate_defer_jobs_v1,
  public.procrastinate_defer_periodic_job_v2,
  public.procrastinate_finish_job_v1,
  public.procrastinate_cancel_job_v1,
  public.procrastinate_retry_job_v1,
  public.procrastinate_retry_job_v2,
  public.procrastinate_notify_queue_job_inserted_v1,
  public.procrastinate_notify_queue_abort_job_v1,
  public.procrastinate_trigger_function_status_events_insert_v1,
  public.procrastinate_trigger_function_status_events_update_v1,
  public.procrastinate_trigger_function_scheduled_events_v1,
  public.procrastinate_trigger_abort_requested_events_procedure_v1,
  public.procrastinate_unlink_periodic_defers_v1,
  public.procrastinate_register_worker_v1,
  public.procrastinate_unregister_worker_v1,
  public.procrastinate_update_heartbeat_v1,
  public.procrastinate_prune_stalled_workers_v1;
DROP TYPE
  public.procrastinate_job_to_defer_v1,
  public.procrastinate_job_event_type,
  public.procrastinate_job_status;
